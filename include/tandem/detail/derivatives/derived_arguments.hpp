// SPDX-License-Identifier: Apache-2.0
/// Tables of the arguments of JVPs and VJPs, derived from that of their function at compile time:
///
///     jvp   inputs, their tangents, optional inputs, their tangents, outputs, their tangents, optional outputs, ...
///     vjp   inputs, cotangents of outputs, optional inputs, cotangents of optional outputs, outputs, cotangents of
///           inputs, of optional inputs, optional outputs, cotangents of joint-limit states
///
/// Tangents of configurations have nv rows, those of joint-limit states are tangents of their impedances. Times,
/// energies and what is added to the diagonal are constants.
#pragma once
#include <iterator>
#include <string_view>
#include <utility>

#include "tandem/arguments.hpp"

namespace tandem::derived {

/// Text that is composed at compile time.
struct Text {
  char data[64] = {};
  std::size_t size = 0;
  constexpr Text() = default;
  template <class... Part>
  constexpr explicit Text(const Part&... parts) {
    (add(parts), ...);
  }
  constexpr void add(std::string_view text) {
    for (const char c : text) data[size++] = c;
  }
};

/// 1/x of units separated by '|' or ", ": "N m/rad|N/m" becomes "rad/(N m)|m/N".
constexpr Text inverse(std::string_view units) {
  Text all;
  while (true) {
    const std::string_view unit = units.substr(0, units.find_first_of("|,")), top = unit.substr(0, unit.find('/'));
    const bool is_product = top.find(' ') != top.npos;
    all.add(top == unit ? "1" : unit.substr(top.size() + 1));
    all.add(Text(is_product ? "/(" : "/", top, is_product ? ")" : "").data);
    if (unit == units) return all;
    const std::size_t next = unit.size() + (units[unit.size()] == ',' ? 2 : 1);
    all.add(units.substr(unit.size(), next - unit.size()));
    units.remove_prefix(next);
  }
}

/// Whether an argument has tangents.
constexpr bool varies(const Argument& a) {
  return a.rows == Rows::q || a.rows == Rows::link_force || a.rows == Rows::stop ||
         (a.rows == Rows::v && a.name != std::string_view(argument::diagonal.name));
}

/// Texts of the tangent and cotangent of an argument; "stops_next" has "dimpedance_next".
struct Texts {
  Text units, inverse_units, tangent, cotangent, of_tangent, of_cotangent;
  constexpr explicit Texts(const Argument& a) {
    const bool is_stop = a.rows == Rows::stop;
    const std::string_view all(a.units), name(a.name), of = is_stop ? "the impedances in " : "";
    const Text own = is_stop ? Text("impedance", name.substr(5)) : Text(name);
    units = Text(all.substr(0, is_stop ? all.find(',') : all.npos));
    inverse_units = inverse(units.data);
    tangent = Text("d", own.data);
    cotangent = Text(own.data, "_bar");
    of_tangent = Text("tangent of ", of, name);
    of_cotangent = Text("cotangent of ", of, name);
  }
};
template <class Function, std::size_t k>
inline constexpr Texts texts = Texts(Function::arguments[k]);

inline constexpr Argument dpi = {"dpi", Rows::link_parameters, Role::optional_input, "kg, kg m, kg m^2",
                                 "tangent of the inertial parameters"};
inline constexpr Argument pi_bar = {"pi_bar", Rows::link_parameters, Role::optional_output,
                                    "1/kg, 1/(kg m), 1/(kg m^2)", "cotangent of the inertial parameters"};

/// A table that grows.
template <class Function>
struct List {
  Argument of[most_arguments];
  std::size_t size = 0;
  constexpr List() {
    for (Argument& a : of) a = argument::q;  // nvcc reads all of them
  }

  constexpr void add(const Argument& a) { of[size++] = a; }
  /// The arguments in this role: of outputs those with tangents.
  constexpr void add(Role role) {
    for (const Argument& a : Function::arguments)
      if (a.role == role && is_input(a))
        add(a);
      else if (a.role == role && varies(a))
        add({a.name, a.rows, a.role, a.units, a.meaning});
  }
  /// Tangents or cotangents of the arguments in this role, in role `in`: of joint-limit states, of others, or of both.
  template <bool are_tangents>
  constexpr void add(Role role, Role in, bool of_stops, bool of_others) {
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      (add_one<are_tangents>(Function::arguments[k], texts<Function, k>, role, in, of_stops, of_others), ...);
    }(std::make_index_sequence<std::size(Function::arguments)>());
  }
  template <bool are_tangents>
  constexpr void add_one(const Argument& a, const Texts& t, Role role, Role in, bool of_stops, bool of_others) {
    if (a.role != role || !varies(a) || !(a.rows == Rows::stop ? of_stops : of_others)) return;
    const Rows rows = a.rows == Rows::link_force ? a.rows : Rows::v;
    add(are_tangents ? Argument{t.tangent.data, rows, in, t.units.data, t.of_tangent.data}
                     : Argument{t.cotangent.data, rows, in, t.inverse_units.data, t.of_cotangent.data});
  }
};

template <class Function, bool by_inertia>
constexpr List<Function> jvp() {
  List<Function> list;
  constexpr Role roles[] = {Role::input, Role::optional_input, Role::output, Role::optional_output};
  for (const Role role : roles) {
    list.add(role);
    list.template add<true>(role, role, true, true);
    if (by_inertia && role == Role::optional_input) list.add(dpi);
  }
  return list;
}
template <class Function, bool by_inertia>
constexpr List<Function> vjp() {
  using enum Role;
  List<Function> list;
  list.add(input);
  list.template add<false>(output, input, true, true);
  list.add(optional_input);
  list.template add<false>(optional_output, optional_input, true, true);
  list.add(output);
  list.template add<false>(input, output, true, true);
  list.template add<false>(optional_input, optional_output, false, true);
  if (by_inertia) list.add(pi_bar);
  list.add(optional_output);
  list.template add<false>(optional_input, optional_output, true, false);
  return list;
}

template <std::size_t n>
struct Table {
  Argument of[n];
  template <class Function>
  constexpr explicit Table(const List<Function>& list) {
    for (std::size_t k = 0; k < n; ++k) of[k] = list.of[k];
  }
};
template <class Function, bool by_inertia>
inline constexpr Table<jvp<Function, by_inertia>().size> jvp_table(jvp<Function, by_inertia>());
template <class Function, bool by_inertia>
inline constexpr Table<vjp<Function, by_inertia>().size> vjp_table(vjp<Function, by_inertia>());

}  // namespace tandem::derived

namespace tandem {

/// Arguments of the JVP of a function, and of its VJP; `by_inertia`: also by the inertial parameters of links.
template <class Function, bool by_inertia = false>
inline constexpr auto& jvp_arguments = derived::jvp_table<Function, by_inertia>.of;
template <class Function, bool by_inertia = false>
inline constexpr auto& vjp_arguments = derived::vjp_table<Function, by_inertia>.of;

}  // namespace tandem
