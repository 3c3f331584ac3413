// SPDX-License-Identifier: Apache-2.0
/// Arrays of Python as the algorithms see them: pointers, strides and a precision, without copies where that is
/// possible.
#pragma once
#include <optional>
#include <string>

#include "leading.hpp"
#include "memory.hpp"
#include "numpy.hpp"

namespace tandem::python {

/// One argument of a call: the memory of a Python object, held as long as this lives.
class ArrayArgument {
 public:
  enum class Kind : unsigned char { input, parameter, output };
  /// What an input was given as; new results are of the kind of the first array.
  enum class Origin : unsigned char { list, numpy, elsewhere };

  /// Takes hold of an object to read from, or of an array to write to. Throws Error if that cannot be.
  /// Those on a GPU can be taken where there are `gpu` arrays.
  void hold(nb::handle object, const char* algorithm, const char* name, Kind kind, GpuArrays* gpu = nullptr);
  /// Makes a new array to write to, on the GPU if arrays were found there.
  void create(const Shape& expected, const Leading& batch, Real real, GpuArrays* gpu = nullptr);

  /// The axes of an input in front of those of a state. Throws Error if it does not end in a state's.
  Sizes leading(const Shape& expected) const;
  /// Makes the numbers of every state, and all states of the batch, lie evenly spaced in the precision of the call: an
  /// input may have to be copied. Throws Error for an output of another shape or layout.
  void settle(const Shape& expected, const Leading& batch, Real real);
  /// An input that lies in the memory of an output is read from a copy.
  void keep_apart(const ArrayArgument& output, const Shape& expected, const Leading& batch);
  /// True if a number of one is also one of the other: rows that lie between those of the other are not.
  bool shares_memory(const ArrayArgument& other) const;

  bool given() const { return memory_.held(); }
  bool on_gpu() const { return memory_.on_gpu(); }
  bool is_input() const { return given() && kind_ != Kind::output; }
  Origin origin() const { return origin_; }
  Real real() const { return real_; }
  nb::handle object() const { return memory_.object(); }
  std::string label() const;  ///< "inverse_dynamics: q"
  std::string name() const;   ///< "q"

  /// Data and strides from state to state and from row to row; a single state stands for every state of a batch.
  template <class T>
  Array<T> array() const {
    static T nothing{};
    auto* data = static_cast<T*>(memory_.view().buf ? memory_.view().buf : &nothing);
    return {data, state_stride_, row_stride_, on_gpu() ? Place::device : Place::host};
  }

 private:
  void read(nb::handle object, GpuArrays* gpu);
  void write(nb::handle object, GpuArrays* gpu);
  bool acquire_array(nb::handle object, bool writable);  ///< false unless it is one of NumPy's, of float32 or float64
  bool acquire(nb::object object, bool writable);        ///< false where Python refuses
  bool acquire_tensor(nb::handle object, bool writable, GpuArrays* gpu);
  void copy(const Shape& expected, const Leading& batch, Real real);
  bool find_strides(const Shape& expected, const Leading& batch);
  bool find_row_stride(const Shape& expected);
  bool overlaps_itself(Index rows, Index states) const;
  bool ranges_overlap(const ArrayArgument& other) const;

  Memory memory_;
  const char* algorithm_ = "";
  const char* name_ = "";
  Index row_stride_ = 1, state_stride_ = 0;
  Real real_ = Real::open;
  Kind kind_ = Kind::input;
  Origin origin_ = Origin::list;
};

/// Where a small number goes for every state, its status or the steps of an iteration: an array of uint8 or int32 that
/// lies side by side. None leaves it out.
class ReportArgument {
 public:
  template <class T>
  std::span<T> settle(nb::handle object, const char* algorithm, const char* name, const Leading& batch,
                      GpuArrays* gpu = nullptr);
  /// The same of an array of numbers on the host with so many rows a state, read and written.
  template <class T>
  std::span<T> settle_rows(nb::handle object, const char* algorithm, const char* name, const Leading& batch,
                           std::initializer_list<Index> rows);
  bool on_gpu() const { return memory_.held() && memory_.on_gpu(); }

 private:
  Memory memory_;
};

}  // namespace tandem::python
