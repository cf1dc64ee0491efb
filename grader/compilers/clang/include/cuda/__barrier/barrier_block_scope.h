#pragma once
#include <cuda/std/__barrier/barrier.h>
#include <cuda/std/chrono>
#include <cuda/std/cstdint>
#pragma push_macro("_CCCL_COMPILER_NVRTC")
#undef _CCCL_COMPILER_NVRTC
#include_next <cuda/__barrier/barrier_block_scope.h>
#pragma pop_macro("_CCCL_COMPILER_NVRTC")
