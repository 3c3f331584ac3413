# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# What the scripts share: short headed steps with full logs, packages, the Python environment, builds.
# Sourced, not run.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
logs=build/logs
venv=.venv
jobs=${TANDEM_JOBS:-$(nproc)}
failed=()
unity_release="library;apps;tests"   # what is compiled several sources at a time: kernels gain only where they are
unity_debug="$unity_release;kernels" # not optimised
mkdir -p "$logs"

# step LOG HEADING COMMAND...: runs a command with its output in build/logs/LOG.log; says how long it took or, if it
# failed, shows the end of the log. Steps that are functions chain their commands with &&: bash does not stop at errors
# inside a command whose status is asked for.
step() {
  local log=$logs/$1.log heading=$2 start=$SECONDS status=0
  shift 2
  printf '== %-66s' "$heading"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    printf '%4d s\n' $((SECONDS - start))
  else
    printf '%4d s  FAILED (exit %d), the end of %s:\n' $((SECONDS - start)) "$status" "$log"
    tail -n 40 "$log" | sed 's/^/   /'
    failed+=("$heading")
  fi
  return "$status"
}

# needed STEP...: a step without which the rest makes no sense.
needed() {
  step "$@" || { echo "Stopped: $2 failed."; exit 1; }
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
