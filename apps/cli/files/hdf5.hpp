// SPDX-License-Identifier: Apache-2.0
/// HDF5 files as tables of states: datasets whose first size counts the states, read and written a few rows at a time.
/// Without the library (no HDF5 where Tandem was built) the constructors throw Error that says so.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Whether a name ends in .h5 or .hdf5.
bool is_hdf5_name(const std::string& path);

/// Throws Error for a name of a file to write that is that of another format than CSV and HDF5. "" and "-" are none.
void check_table_name(const std::string& path);

/// Whether a file is HDF5: by its name, or by the signature in what is there.
bool is_hdf5_file(const std::string& path);

/// "[batch, 7, 6]" for the sizes {7, 6} of one state.
std::string batch_shape(const std::vector<Index>& sizes);

/// What the library calls an identifier, closed when it goes out of scope.
class Hdf5Handle {
 public:
  using Close = int (*)(std::int64_t);
  Hdf5Handle() = default;
  Hdf5Handle(std::int64_t id, Close closed_by) : id_(id), close_(closed_by) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { close(); }

  std::int64_t id() const { return id_; }
  /// False if the library could not finish what was under way.
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  std::int64_t id_ = -1;
  Close close_ = nullptr;
};

/// The datasets of one group. Errors name the file and the dataset.
class Hdf5Reader {
 public:
  struct Dataset {
    std::string name;
    std::vector<Index> sizes;
    Hdf5Handle handle;
  };

  /// `group`: empty for the file's root.
  Hdf5Reader(const std::string& path, const std::string& group);

  /// Names of the datasets in the group, in alphabetical order.
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const;
  /// A dataset of real numbers, of any type that the library converts.
  Dataset open(const std::string& name) const;
  /// `count` rows along the first size.
  template <class T>
  void read(const Dataset& dataset, Index begin, Index count, T* numbers) const;
  /// "states.h5", with the group behind it if it is not the root.
  const std::string& where() const { return where_; }

 private:
  std::string path_, where_;
  Hdf5Handle file_, group_;
  std::vector<std::string> names_;
};

/// A file of datasets that grow row by row. A failure is a RunError that names the file.
class Hdf5Writer {
 public:
  /// Creates `path`, or overwrites it; errors call it `shown`.
  Hdf5Writer(const std::string& path, const std::string& shown);

  /// Adds a dataset of T with rows of these sizes; at most `rows` of them are stored side by side.
  template <class T>
  std::size_t add(const std::string& name, const std::vector<Index>& sizes, Index rows);
  template <class T>
  void append(std::size_t dataset, const T* numbers, Index count);
  /// A dataset of texts.
  void add_texts(const std::string& name, const std::vector<std::string>& texts);

  /// Attributes of the file, or of a dataset.
  void describe(const char* attribute, const std::string& text);
  void describe(std::size_t dataset, const char* attribute, const std::vector<std::string>& texts);
  void describe(std::size_t dataset, const char* attribute, const std::string& text);

  /// To be called at the end, as only it reports what could not be written.
  void close();

 private:
  struct Dataset {
    std::string name;
    std::vector<Index> sizes;  ///< of a row
    Index rows = 0;
    Hdf5Handle handle;
  };
  void check(bool good) const;

  std::string shown_;
  Hdf5Handle file_;
  std::vector<Dataset> datasets_;
};

}  // namespace tandem::cli
