// SPDX-License-Identifier: Apache-2.0
/// Numbers and names as error texts and files show them, the same in every locale.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>

namespace tandem {

/// The shortest digits that give the same number again.
std::string text(double x);
/// Six digits, for numbers that have been computed.
std::string rounded_text(double x);

/// The name in quotation marks; a very long one is cut, control characters become question marks.
std::string in_quotes(std::string_view name);

/// `link "elbow"`
inline std::string element(std::string_view kind, std::string_view name) {
  return std::string(kind) + " " + in_quotes(name);
}

/// Words and numbers, one after the other.
template <class... Part>
std::string sentence(const Part&... parts) {
  std::string all;
  const auto add = [&](const auto& part) {
    using P = std::remove_cvref_t<decltype(part)>;
    if constexpr (std::is_floating_point_v<P>)
      all += text(part);
    else if constexpr (std::is_arithmetic_v<P> && !std::is_same_v<P, char>)
      all += std::to_string(part);
    else
      all += part;
  };
  (add(parts), ...);
  return all;
}

/// "a, b, c"; name(x) is how one of the list is called.
template <class List, class Name>
std::string comma_separated(const List& list, Name&& name) {
  std::string all;
  for (const auto& x : list) all += (all.empty() ? "" : ", ") + std::string(name(x));
  return all;
}
template <class List>
std::string comma_separated(const List& list) {
  return comma_separated(list, [](const auto& x) { return x; });
}

}  // namespace tandem
