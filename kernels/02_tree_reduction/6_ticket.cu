// Which block is the last? Every block draws one ticket. The block with the last one copies a value.
//
//   value     float[1], only read
//   finished  unsigned int[1], 0 before the launch, and 0 again after it for the next one
//   copy      float[1], written by the block that draws the last ticket; copy[0] = value[0]
//   block     any number of threads, of which one draws
extern "C" __global__ void ticket(const float* value, unsigned int* finished, float* copy) {
    // Your turn: draw a ticket. If it is the last one, write the copy, and set the counter to 0.
    // BEGIN SOLUTION
    if (threadIdx.x == 0) {
        const unsigned int drawn = atomicAdd(finished, 1);  // how many blocks drew before
        if (drawn == gridDim.x - 1) {
            *copy = *value;
            *finished = 0;
        }
    }
    // END SOLUTION
}
