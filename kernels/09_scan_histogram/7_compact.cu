// Stream compaction: the positive elements of x come to the front of y, in their order.
//
//   x, y    float[n], x only read, y written; first the elements with x[i] > 0, in their order; the
//           others fill y from its end, in reverse order: the first of them is y[n - 1]
//   count   int[1], written; how many elements are positive
//   block   whole warps, 32 to 1,024 threads; the grid is one block
extern "C" __global__ void compact(const float* x, float* y, int* count, int n) {
    __shared__ int of_warp[32];  // of_warp[w]: how many elements warp w keeps
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int kept = 0;  // number of positive elements in the parts that are done

    for (int first = 0; first < n; first += blockDim.x) {
        const int i = first + threadIdx.x;
        const float value = i < n ? x[i] : 0.0f;
        // Your turn: the place of each element, and its store; then `kept` for the next part.
        // BEGIN SOLUTION
        const bool keep = value > 0.0f;
        const unsigned int keeps = __ballot_sync(~0u, keep);
        if (lane == 0) of_warp[warp] = __popc(keeps);
        __syncthreads();  // the counts of all warps are there
        int place = kept + __popc(keeps & ((1u << lane) - 1));
        for (int w = 0; w < blockDim.x / 32; w++) {
            if (w < warp) place += of_warp[w];
            kept += of_warp[w];
        }
        if (i < n) y[keep ? place : n - 1 - (i - place)] = value;
        __syncthreads();  // every thread has read the counts
        // END SOLUTION
    }
    if (threadIdx.x == 0) *count = kept;
}
