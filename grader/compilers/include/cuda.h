#pragma once
// Of the driver's header, what a kernel needs: the type of a tensor map.
typedef struct alignas(64) CUtensorMap_st {
    unsigned long long opaque[16];
} CUtensorMap;
