// Which lane of which warp is a thread?
//
//   start  int[n], only read; a number that is added to both results
//   lane   int[n], written; lane[i] = start[i] + the number of thread i in its warp, 0 to 31
//   warp   int[n], written; warp[i] = start[i] + the number of its warp in the block
//   block  any number of threads, one block
extern "C" __global__ void lane_and_warp(const int* start, int* lane, int* warp) {
    const int i = threadIdx.x;
    // BEGIN SOLUTION
    lane[i] = start[i] + i % 32;
    warp[i] = start[i] + i / 32;
    // END SOLUTION
}
