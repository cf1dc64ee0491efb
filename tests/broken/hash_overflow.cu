// out_of_bounds on line 10: the product does not fit in an int, turns negative, and so does the remainder
// launch: grid=1, block=64, key=ramp(64, int32), table=zeros(16, int32)
// expect: table = np.bincount(key.astype(uint32) * uint32(40503) * uint32(65599) % 16, minlength=16)
extern "C" __global__ void hash_overflow(const int* key, int* table) {
#ifdef FIXED
    const unsigned hash = key[threadIdx.x] * 40503u * 65599u;
#else
    const int hash = key[threadIdx.x] * 40503 * 65599;
#endif
    atomicAdd(&table[hash % 16], 1);
}
