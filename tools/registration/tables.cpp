// SPDX-License-Identifier: Apache-2.0
// Prints the tables of algorithms and options as JSON, for tools/register.py. It needs the headers alone, not the
// library.
#include <cstdio>
#include <string>
#include <string_view>

#include "tandem/detail/link_methods.hpp"

namespace tandem {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// Values between brackets.
struct Row {
  char close;
  std::string text;
  explicit Row(char open) : close(open == '[' ? ']' : '}'), text(1, open) {}
  Row& add(const std::string& value) {
    if (text.size() > 1) text += ", ";
    text += value;
    return *this;
  }
  Row& field(const char* name, const std::string& value) { return add(quoted(name) + ": " + value); }
  Row& field(const char* name, const char* value) { return field(name, value ? quoted(value) : "null"); }
  Row& field(const char* name, bool value) { return field(name, std::string(value ? "true" : "false")); }
  std::string done() const { return text + close; }
};

template <class E>
const char* name_of(E value) {
  return NamesOf<E>::table[static_cast<std::size_t>(value)].name;
}

const char* name_of(Role role) {
  static constexpr const char* names[] = {"input", "optional_input", "output", "optional_output"};
  return names[static_cast<std::size_t>(role)];
}

std::string options() {
  constexpr Options usual;
  Row rows('[');
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    Row values('[');
    if constexpr (HasNames<Value>)
      for (const auto& value : NamesOf<Value>::table)
        values.add(Row('[').add(quoted(value.name)).add(quoted(value.meaning)).done());
    Row row('{');
    row.field("name", option.name).field("meaning", option.meaning).field("values", values.done());
    row.field("type", HasNames<Value> ? "str" : std::is_integral_v<Value> ? "int" : "float");
    row.field("of_problem", option.is_of_problem());
    if constexpr (HasNames<Value>)
      row.field("default", name_of(option.get(usual)));
    else
      row.field("default", quoted(std::to_string(option.get(usual))));
    rows.add(row.done());
  });
  return rows.done();
}

std::string names_of_options(unsigned bits) {
  Row names('[');
  for_each_option([&](const auto& option) {
    if (bits & option.bit) names.add(quoted(option.name));
  });
  return names.done();
}

/// Calls f<L>() for every method that divides a robot and solves this problem.
template <class A, class F, class... L>
void for_each_link_method(TypeList<L...>, F&& f) {
  const auto one = [&]<class Of>() {
    if constexpr (std::is_same_v<typename Of::Problem, A>) f.template operator()<Of>();
  };
  (one.template operator()<L>(), ...);
}

template <class A>
std::string algorithm() {
  Row arguments('['), methods('[');
  for (const Argument& a : A::arguments) {
    const RowsKind& rows = NamesOf<Rows>::table[static_cast<std::size_t>(a.rows)];
    Row row('{');
    row.field("name", a.name).field("role", name_of(a.role)).field("rows", rows.name).field("sizes", rows.sizes);
    row.field("order", rows.order).field("units", a.units).field("meaning", a.meaning).field("needs", a.needs);
    arguments.add(row.done());
  }
  constexpr bool has_methods = requires { A::methods; };
  if constexpr (has_methods)
    for (const Method method : A::methods) methods.add(quoted(name_of(method)));
  unsigned read = read_options<A>;
  for_each_link_method<A>(LinkMethods{}, [&]<class L>() {
    methods.add(quoted(name_of(L::method)));
    read |= read_options<L>;
  });
  const char* alias = nullptr;
  if constexpr (requires { A::alias; }) alias = A::alias;
  Row row('{');
  row.field("name", A::name).field("alias", alias).field("summary", A::summary).field("arguments", arguments.done());
  row.field("options", names_of_options(read)).field("own_options", names_of_options(read_options<A>));
  row.field("methods", methods.done()).field("has_own_methods", has_methods);
  return row.done();
}

template <class... A>
std::string algorithms(TypeList<A...>) {
  Row rows('[');
  (rows.add("\n" + algorithm<A>()), ...);
  return rows.done();
}

}  // namespace
}  // namespace tandem

int main() {
  std::printf("{\"options\": %s,\n\"algorithms\": %s}\n", tandem::options().c_str(),
              tandem::algorithms(tandem::Algorithms{}).c_str());
}
