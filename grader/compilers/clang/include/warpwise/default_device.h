#include <warpwise/first.h>
#pragma clang force_cuda_host_device begin
