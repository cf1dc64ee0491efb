// Degrees Celsius to Fahrenheit, and a flag: does anything boil?
//
//   celsius     float[n], only read
//   fahrenheit  float[n], written
//   boils       int[1]; 0 before the launch, and 1 after it if any element reaches 100 degrees
extern "C" __global__ void find_the_bug(const float* celsius, float* fahrenheit, int* boils,
                                        int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        fahrenheit[i] = 1.8f * celsius[i] + 32.0f;
        *boils = celsius[i] >= 100.0f;
    }
}
