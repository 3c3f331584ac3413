# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# What the scripts share: short headed steps with full logs and their times, packages, the Python environment, builds.
# Sourced, not run.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
logs=build/logs
venv=.venv
jobs=${TANDEM_JOBS:-$(nproc)}
failed=()
unity_release="library;apps;tests"   # what is compiled several sources at a time: kernels gain only where they are
unity_debug="$unity_release;kernels" # not optimised
mkdir -p "$logs"

# timed NAME COMMAND...: runs a command in a shell of its own, with its output in build/logs/NAME.log; NAME.cpu then has
# the processor time of the command and its children, user and system, in seconds.
timed() (
  local log_name=$1 status=0
  shift
  "$@" >"$logs/$log_name.log" 2>&1 </dev/null || status=$?
  processor_time "$log_name"
  exit "$status"
)

# processor_time NAME: writes NAME.cpu: the processor time of this shell and of the children that it has waited for
processor_time() {
  times >"$logs/$1.times"
  tr -c '0-9.' ' ' <"$logs/$1.times" |
    awk '{for (k = 1; k < NF; k += 2) sum += 60 * $k + $(k + 1)} END {printf "%.0f\n", sum}' >"$logs/$1.cpu"
  rm -f "$logs/$1.times"
}

# begin HEADING and conclude STATUS NAME HEADING START print the two parts of a step's line; took NAME HEADING START
# prints and keeps its times
stages=()  # of each step: its name, elapsed and processor time in seconds, heading
begin() {
  ((${#stages[@]})) || printf '   %-65s %6s %9s\n' "" elapsed processor
  printf '== %-66s' "$1"
}
took() {
  local elapsed=$((SECONDS - $3)) processor
  processor=$(cat "$logs/$1.cpu" 2>/dev/null || echo 0)
  stages+=("$1"$'\t'"$elapsed"$'\t'"$processor"$'\t'"$2")
  printf '%5d s %7d s' "$elapsed" "$processor"
}
conclude() {
  local status=$1
  took "${@:2}"
  if ((status == 0)); then
    printf '\n'
  else
    printf '  FAILED (exit %d), the end of %s:\n' "$status" "$logs/$2.log"
    tail -n 40 "$logs/$2.log" | sed 's/^/   /'
    failed+=("$3")
  fi
  return "$status"
}

# step NAME HEADING COMMAND...: runs a command with its output in build/logs/NAME.log; prints elapsed and processor time
# and, if the command failed, the end of the log. Commands that are functions chain their parts with &&: bash does not
# stop at errors inside a command whose status is tested.
step() {
  local start=$SECONDS status=0
  begin "$2"
  timed "$1" "${@:3}" || status=$?
  conclude "$status" "$1" "$2" "$start"
}

# beside NAME COMMAND...: starts a command that runs beside the steps. await NAME HEADING: the step that waits for it;
# prints how long it waited, and the processor time of the command.
declare -A processes=()
beside() {
  timed "$@" &
  processes[$1]=$!
}
await() {
  local start=$SECONDS status=0
  begin "$2"
  wait "${processes[$1]}" || status=$?
  conclude "$status" "$1" "$2" "$start"
}

# total_time: one line about all steps; build/logs/times.tsv has a row for each of them
total_time() {
  printf '%s\n' $'step\telapsed\tprocessor\theading' "${stages[@]}" >"$logs/times.tsv"
  awk -F '\t' -v elapsed="$SECONDS" 'NR > 1 {sum += $3} END {printf "== %-66s%5d s %7d s\n", "Total", elapsed, sum}' "$logs/times.tsv"
}

# needed STEP..., needed_await STEP...: a step without which the rest makes no sense.
needed() {
  step "$@" || { echo "Stopped: $2 failed."; exit 1; }
}
needed_await() {
  await "$@" || { echo "Stopped: $2 failed."; exit 1; }
}

packages=(g++ clang-19 libclang-rt-19-dev cmake ninja-build ccache git pkgconf dpkg-dev
  libexpat1-dev libtbb-dev libfmt-dev libcli11-dev nlohmann-json3-dev libxbyak-dev libeigen3-dev libhdf5-dev
  libopenmpi-dev openmpi-bin hdf5-tools
  libstdc++-12-dev-arm64-cross libc6-dev-arm64-cross libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev libomp-19-dev
  python3 python3-dev python3-venv ca-certificates)

torch_packages=(python3-torch)  # PyTorch for the processor, 630 MB installed; PyPI's needs gigabytes of CUDA

site_packages=(sphinx myst-parser furo breathe)  # of PyPI, for scripts/site

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

# Debian packages that are not there yet. Where clang 19 cannot be had, g++ compiles everything.
install_packages() {
  command -v dpkg-query >/dev/null || { echo "no dpkg here: taking it that ${packages[*]} are installed"; return 0; }
  local missing as_root=() without=()
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || { echo "all there"; return 0; }
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { echo "run as root, or install: ${missing[*]}"; return 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update || return
  if ! apt-cache show clang-19 >/dev/null 2>&1; then
    echo "this archive has no clang-19"
    without=(clang-19 libclang-rt-19-dev libomp-19-dev)
  fi
  local package wanted=()
  for package in "${missing[@]}"; do
    [[ " ${without[*]} " == *" $package "* ]] || wanted+=("$package")
  done
  ((${#wanted[@]} == 0)) ||
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${wanted[@]}"
}

# The faster compiler on this kind of code, where it is installed and the user has not named another.
choose_compiler() {
  if [[ -z ${CXX:-} ]]; then
    CXX=g++
    command -v clang++-19 >/dev/null && CXX=clang++-19
  fi
  export CXX
}

# python_packages NAME...: the virtual environment with these packages; does nothing if they were installed before.
python_packages() {
  local interpreter=python3
  [[ -x /usr/bin/python3 ]] && interpreter=/usr/bin/python3  # the one that python3-venv and python3-dev belong to
  [[ -x $venv/bin/python ]] || "$interpreter" -m venv "$venv" || return
  local package missing=()
  for package in "$@"; do
    [[ -e $venv/installed/$package ]] || missing+=("$package")
  done
  ((${#missing[@]})) || { echo "all there"; return 0; }
  "$venv/bin/python" -m pip install --disable-pip-version-check "${missing[@]}" && mkdir -p "$venv/installed" || return
  for package in "${missing[@]}"; do : >"$venv/installed/$package"; done
}

# nvcc, by the variable of CMake, the PATH, or where its packages put it.
has_nvcc() { [[ -n ${CUDACXX:-} || -x /usr/local/cuda/bin/nvcc ]] || command -v nvcc >/dev/null; }

has_gpu() { [[ -e /dev/nvidiactl ]]; }

# build FOLDER PRESET TARGET [CMAKE ARGUMENT...]: configures build/FOLDER as the preset says and builds a target; without
# CUDA, which takes minutes to compile, unless the arguments ask for it.
build() {
  local folder=$1 preset=$2 target=$3
  shift 3
  cmake --preset "$preset" -B "build/$folder" -DTANDEM_CUDA=OFF "$@" &&
    cmake --build "build/$folder" --parallel "$jobs" --target "$target"
}

# build_release TARGET [CMAKE ARGUMENT...]
build_release() {
  build release release "$1" "-DTANDEM_UNITY=$unity_release" "${@:2}"
}

# Needs nanobind and scikit-build-core.
install_python_package() {
  "$venv/bin/python" -m pip install --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    --config-settings=build-dir=build/python --config-settings=cmake.define.TANDEM_CUDA=OFF \
    "--config-settings=cmake.define.TANDEM_UNITY=$unity_release" .
}
