// misaligned on line 11: a record of five bytes holds an int after its first byte
// launch: grid=1, block=16, stream=np.ones(80, uint8), out=zeros(16, int32)
// expect: out = np.full(16, 0x01010101)
extern "C" __global__ void int_inside_a_byte_stream(const unsigned char* stream, int* out) {
    const unsigned char* record = stream + 5 * threadIdx.x;
#ifdef FIXED
    int value = 0;
    for (int k = 0; k < 4; ++k) value |= record[1 + k] << 8 * k;
    out[threadIdx.x] = value;
#else
    out[threadIdx.x] = *reinterpret_cast<const int*>(record + 1);
#endif
}
