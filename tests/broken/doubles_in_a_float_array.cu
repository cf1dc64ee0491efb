// out_of_bounds on line 10: a pointer to double steps eight bytes, the array has four for each element
// launch: grid=1, block=64, x=noise(64), out=zeros(64, float64)
// expect: out = x
#ifdef FIXED
typedef float Element;
#else
typedef double Element;
#endif
extern "C" __global__ void doubles_in_a_float_array(const float* x, double* out) {
    out[threadIdx.x] = reinterpret_cast<const Element*>(x)[threadIdx.x];
}
