// data_race on line 7, with line 5: block 0 may read the value before block 1 writes it
// launch: grid=2, block=1, value=zeros(1), out=zeros(2)
extern "C" __global__ void one_value_for_all_blocks(float* value, float* out) {
    if (blockIdx.x == 1) {
        value[0] = 3.0f;
    } else {
        out[0] = value[0];
    }
}
