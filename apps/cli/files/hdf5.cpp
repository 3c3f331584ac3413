// SPDX-License-Identifier: Apache-2.0
#include "files/hdf5.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <type_traits>

#include "cli.hpp"

namespace tandem::cli {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t> && std::is_same_v<herr_t, int>);

constexpr hsize_t dataset_chunk_bytes = hsize_t{1} << 20;  // of a dataset as written
constexpr std::size_t largest_number = 16;                 // bytes; damaged files claim more
constexpr std::size_t most_cache = std::size_t{1} << 28;   // bytes, for reading a dataset in the chunks that it has

/// Keeps the library from printing, and from closing what it could not write a second time at exit.
void quiet() {
  static const bool once = [] {
    H5dont_atexit();
    return H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  }();
  (void)once;
}

/// What the library says about its last error, in the words of the function where it happened. Of errors of the system,
/// which come with times and addresses, the system's words.
std::string last_error() {
  std::string text;
  const auto keep_first = [](unsigned n, const H5E_error2_t* error, void* to) -> herr_t {
    if (n == 0 && error->desc) *static_cast<std::string*>(to) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  constexpr std::string_view mark = "error message = '";
  if (const std::size_t at = text.find(mark); at != std::string::npos) {
    text.erase(0, at + mark.size());
    text.erase(std::min(text.find('\''), text.size()));
  }
  return text.empty() ? "no message of the HDF5 library" : text;
}

template <class T>
hid_t memory_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
}

/// Little endian on every machine.
template <class T>
hid_t file_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_IEEE_F64LE;
  if constexpr (std::is_same_v<T, float>) return H5T_IEEE_F32LE;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_STD_U8LE;
}

Hdf5Handle space(hid_t id) { return {id, H5Sclose}; }
Hdf5Handle type(hid_t id) { return {id, H5Tclose}; }
Hdf5Handle list(hid_t id) { return {id, H5Pclose}; }
Hdf5Handle attribute(hid_t id) { return {id, H5Aclose}; }

Hdf5Handle text_type() {
  Hdf5Handle text = type(H5Tcopy(H5T_C_S1));
  H5Tset_size(text.id(), H5T_VARIABLE);
  H5Tset_cset(text.id(), H5T_CSET_UTF8);
  return text;
}

std::vector<hsize_t> dimensions(Index first, const std::vector<Index>& rest) {
  std::vector<hsize_t> result = {static_cast<hsize_t>(first)};
  for (const Index size : rest) result.push_back(static_cast<hsize_t>(size));
  return result;
}

/// Rows begin .. begin + count - 1 of a dataset as it stands in its file.
Hdf5Handle selected_rows(hid_t dataset, Index begin, const std::vector<hsize_t>& count) {
  Hdf5Handle rows = space(H5Dget_space(dataset));
  std::vector<hsize_t> start(count.size(), 0);
  if (count.empty()) return rows;  // a single number
  start[0] = static_cast<hsize_t>(begin);
  H5Sselect_hyperslab(rows.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  return rows;
}

/// Room for as many of the file's chunks as lie side by side in a row, so that none is read and unpacked twice.
Hdf5Handle access_in_rows(hid_t dataset, const std::vector<Index>& sizes) {
  Hdf5Handle access = list(H5Pcreate(H5P_DATASET_ACCESS));
  const Hdf5Handle creation = list(H5Dget_create_plist(dataset)), numbers = type(H5Dget_type(dataset));
  if (sizes.empty() || H5Pget_layout(creation.id()) != H5D_CHUNKED) return access;
  std::vector<hsize_t> chunk(sizes.size());
  H5Pget_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data());
  std::size_t bytes = H5Tget_size(numbers.id()) * static_cast<std::size_t>(chunk[0]);
  for (std::size_t k = 1; k < sizes.size(); ++k)
    bytes *= static_cast<std::size_t>((static_cast<hsize_t>(sizes[k]) + chunk[k] - 1) / chunk[k] * chunk[k]);
  if (bytes > (std::size_t{1} << 20) && bytes <= most_cache)
    H5Pset_chunk_cache(access.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
  return access;
}

herr_t keep_dataset(hid_t group, const char* name, const H5L_info_t*, void* to) {
  const Hdf5Handle object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
  if (object.id() >= 0 && H5Iget_type(object.id()) == H5I_DATASET)
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
  return 0;  // links that lead nowhere are no datasets
}

}  // namespace

Hdf5Reader::Hdf5Reader(const std::string& path, const std::string& group)
    : path_(path), where_(group.empty() ? path : path + ":" + group) {
  quiet();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> there(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!there) throw Error(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  file_ = {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
  if (file_.id() < 0) throw Error(fmt::format("cannot read {} as HDF5: {}", path, last_error()));
  group_ = {H5Gopen2(file_.id(), group.empty() ? "/" : group.c_str(), H5P_DEFAULT), H5Gclose};
  if (group_.id() < 0) throw Error(fmt::format("{} has no group {}", path, group));
  if (H5Literate(group_.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, keep_dataset, &names_) < 0)
    throw Error(fmt::format("cannot read {}: {}", where_, last_error()));
}

bool Hdf5Reader::has(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

Hdf5Reader::Dataset Hdf5Reader::open(const std::string& name) const {
  Dataset dataset{name, {}, {H5Dopen2(group_.id(), name.c_str(), H5P_DEFAULT), H5Dclose}};
  if (dataset.handle.id() < 0) throw Error(fmt::format("{}: cannot open dataset {}: {}", where_, name, last_error()));
  const Hdf5Handle numbers = type(H5Dget_type(dataset.handle.id())), extent = space(H5Dget_space(dataset.handle.id()));
  const H5T_class_t kind = H5Tget_class(numbers.id());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER)
    throw Error(fmt::format("{}: dataset {} is not of real numbers or integers", where_, name));
  if (H5Tget_size(numbers.id()) > largest_number)
    throw Error(fmt::format("{}: dataset {} has numbers of {} bytes", where_, name, H5Tget_size(numbers.id())));
  const Hdf5Handle creation = list(H5Dget_create_plist(dataset.handle.id()));
  if (H5Pget_external_count(creation.id()) != 0)
    throw Error(
        fmt::format("{}: dataset {} has external storage, which is not supported; "
                    "h5repack makes one file",
                    where_, name));
  if (H5Sget_simple_extent_type(extent.id()) == H5S_NULL)
    throw Error(fmt::format("{}: dataset {} is empty", where_, name));
  std::vector<hsize_t> sizes(static_cast<std::size_t>(H5Sget_simple_extent_ndims(extent.id())));
  H5Sget_simple_extent_dims(extent.id(), sizes.data(), nullptr);
  for (const hsize_t size : sizes) dataset.sizes.push_back(static_cast<Index>(size));
  const Hdf5Handle access = access_in_rows(dataset.handle.id(), dataset.sizes);
  dataset.handle.close();
  dataset.handle = {H5Dopen2(group_.id(), name.c_str(), access.id()), H5Dclose};
  return dataset;
}

template <class T>
void Hdf5Reader::read(const Dataset& dataset, Index begin, Index count, T* numbers) const {
  std::vector<hsize_t> sizes(dataset.sizes.begin(), dataset.sizes.end());
  if (!sizes.empty()) sizes[0] = static_cast<hsize_t>(count);
  if (std::find(sizes.begin(), sizes.end(), hsize_t{0}) != sizes.end()) return;
  const Hdf5Handle from = selected_rows(dataset.handle.id(), begin, sizes);
  const Hdf5Handle to = space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
  if (H5Dread(dataset.handle.id(), memory_type<T>(), to.id(), from.id(), H5P_DEFAULT, numbers) < 0)
    throw Error(fmt::format("{}: cannot read dataset {}, rows {} to {}: {}", where_, dataset.name, begin,
                            begin + count - 1, last_error()));
}
template void Hdf5Reader::read(const Dataset&, Index, Index, double*) const;
template void Hdf5Reader::read(const Dataset&, Index, Index, float*) const;

Hdf5Writer::Hdf5Writer(const std::string& path, const std::string& shown) : shown_(shown) {
  quiet();
  // objects without times: the same results are the same bytes
  const Hdf5Handle creation = list(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_obj_track_times(creation.id(), false);
  // the usual driver asks for the real path of a link, as that to a file without a name is; this one does not
  const Hdf5Handle access = list(H5Pcreate(H5P_FILE_ACCESS));
  if (path != shown) H5Pset_fapl_stdio(access.id());
  file_ = {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose};
  check(file_.id() >= 0);
}

void Hdf5Writer::check(bool good) const {
  if (good) return;
  const bool known =
      errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO;  // which the driver does not say
  throw RunError(fmt::format("cannot write to {}: {}", shown_, known ? std::strerror(errno) : last_error()));
}

template <class T>
std::size_t Hdf5Writer::add(const std::string& name, const std::vector<Index>& sizes, Index rows) {
  std::vector<hsize_t> now = dimensions(0, sizes), most = now, chunk = dimensions(rows, sizes);
  hsize_t bytes = sizeof(T);
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (now[k] == 0) most[k] = H5S_UNLIMITED;  // the first size grows; others of 0 must be called so to have chunks
    bytes *= chunk[k] = std::max<hsize_t>(chunk[k], 1);
  }
  for (hsize_t& size : chunk)
    while (bytes > dataset_chunk_bytes && size > 1) {
      bytes /= size;
      size = (size + 1) / 2;
      bytes *= size;
    }
  const Hdf5Handle creation = list(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(creation.id(), false);
  H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data());
  const Hdf5Handle extent = space(H5Screate_simple(static_cast<int>(now.size()), now.data(), most.data()));
  Dataset dataset{name, sizes, 0, {}};
  dataset.handle = {
      H5Dcreate2(file_.id(), name.c_str(), file_type<T>(), extent.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
      H5Dclose};
  check(dataset.handle.id() >= 0);
  datasets_.push_back(std::move(dataset));
  return datasets_.size() - 1;
}
template std::size_t Hdf5Writer::add<double>(const std::string&, const std::vector<Index>&, Index);
template std::size_t Hdf5Writer::add<float>(const std::string&, const std::vector<Index>&, Index);
template std::size_t Hdf5Writer::add<std::uint8_t>(const std::string&, const std::vector<Index>&, Index);

template <class T>
void Hdf5Writer::append(std::size_t dataset, const T* numbers, Index count) {
  Dataset& d = datasets_[dataset];
  const Index begin = d.rows;
  d.rows += count;
  const std::vector<hsize_t> added = dimensions(count, d.sizes), whole = dimensions(d.rows, d.sizes);
  check(H5Dset_extent(d.handle.id(), whole.data()) >= 0);
  if (std::find(added.begin(), added.end(), hsize_t{0}) != added.end()) return;
  const Hdf5Handle to = selected_rows(d.handle.id(), begin, added);
  const Hdf5Handle from = space(H5Screate_simple(static_cast<int>(added.size()), added.data(), nullptr));
  check(H5Dwrite(d.handle.id(), memory_type<T>(), from.id(), to.id(), H5P_DEFAULT, numbers) >= 0);
}
template void Hdf5Writer::append(std::size_t, const double*, Index);
template void Hdf5Writer::append(std::size_t, const float*, Index);
template void Hdf5Writer::append(std::size_t, const std::uint8_t*, Index);

namespace {

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

/// False if the library refuses.
bool write_attribute(hid_t object, const char* name, const Hdf5Handle& extent, const std::vector<std::string>& texts) {
  const Hdf5Handle text = text_type();
  const Hdf5Handle to = attribute(H5Acreate2(object, name, text.id(), extent.id(), H5P_DEFAULT, H5P_DEFAULT));
  return to.id() >= 0 && H5Awrite(to.id(), text.id(), pointers(texts).data()) >= 0;
}

}  // namespace

void Hdf5Writer::add_texts(const std::string& name, const std::vector<std::string>& texts) {
  const Hdf5Handle creation = list(H5Pcreate(H5P_DATASET_CREATE)), text = text_type();
  H5Pset_obj_track_times(creation.id(), false);
  const hsize_t size = texts.size();
  const Hdf5Handle extent = space(H5Screate_simple(1, &size, nullptr));
  Hdf5Handle to(H5Dcreate2(file_.id(), name.c_str(), text.id(), extent.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                H5Dclose);
  check(to.id() >= 0 && H5Dwrite(to.id(), text.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers(texts).data()) >= 0);
  check(to.close());
}

void Hdf5Writer::describe(const char* name, const std::string& text) {
  check(write_attribute(file_.id(), name, space(H5Screate(H5S_SCALAR)), {text}));
}

void Hdf5Writer::describe(std::size_t dataset, const char* name, const std::vector<std::string>& texts) {
  const hsize_t size = texts.size();
  check(write_attribute(datasets_[dataset].handle.id(), name, space(H5Screate_simple(1, &size, nullptr)), texts));
}

void Hdf5Writer::describe(std::size_t dataset, const char* name, const std::string& text) {
  check(write_attribute(datasets_[dataset].handle.id(), name, space(H5Screate(H5S_SCALAR)), {text}));
}

void Hdf5Writer::close() {
  for (Dataset& d : datasets_) check(d.handle.close());
  check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0);
  check(file_.close());
}

}  // namespace tandem::cli
