#pragma once
#include <warpwise/cuda.h>
#include <prelude.h>
