// SPDX-License-Identifier: Apache-2.0
/// What stands in for hdf5.cpp where the library was not found.
#include "cli.hpp"
#include "files/hdf5.hpp"

namespace tandem::cli {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw Error(path +
              ": this tandem was built without HDF5: install its C library (Debian: libhdf5-dev) and build again, " +
              "or use CSV files");
}

}  // namespace

Hdf5Reader::Hdf5Reader(const std::string& path, const std::string&) { refuse(path); }
bool Hdf5Reader::has(const std::string&) const { return false; }
Hdf5Reader::Dataset Hdf5Reader::open(const std::string&) const { refuse(path_); }
template <class T>
void Hdf5Reader::read(const Dataset&, Index, Index, T*) const {
  refuse(path_);
}

Hdf5Writer::Hdf5Writer(const std::string&, const std::string& shown) { refuse(shown); }
template <class T>
std::size_t Hdf5Writer::add(const std::string&, const std::vector<Index>&, Index) {
  refuse(shown_);
}
template <class T>
void Hdf5Writer::append(std::size_t, const T*, Index) {
  refuse(shown_);
}
void Hdf5Writer::add_texts(const std::string&, const std::vector<std::string>&) { refuse(shown_); }
void Hdf5Writer::describe(const char*, const std::string&) { refuse(shown_); }
void Hdf5Writer::describe(std::size_t, const char*, const std::vector<std::string>&) { refuse(shown_); }
void Hdf5Writer::describe(std::size_t, const char*, const std::string&) { refuse(shown_); }
void Hdf5Writer::close() { refuse(shown_); }

template void Hdf5Reader::read(const Dataset&, Index, Index, double*) const;
template void Hdf5Reader::read(const Dataset&, Index, Index, float*) const;
template std::size_t Hdf5Writer::add<double>(const std::string&, const std::vector<Index>&, Index);
template std::size_t Hdf5Writer::add<float>(const std::string&, const std::vector<Index>&, Index);
template std::size_t Hdf5Writer::add<std::uint8_t>(const std::string&, const std::vector<Index>&, Index);
template void Hdf5Writer::append(std::size_t, const double*, Index);
template void Hdf5Writer::append(std::size_t, const float*, Index);
template void Hdf5Writer::append(std::size_t, const std::uint8_t*, Index);

}  // namespace tandem::cli
