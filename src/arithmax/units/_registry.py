"""Which units there are: the name on the command line, the file and the class.

To add a unit is to write its file and one line here.
"""

REGISTRY = {
    "linear": "_linear.Linear",
    "dense": "_linear.Dense",
    "nac": "_nac.NAC",
    "nac-mul": "_nac.MultiplicativeNAC",
    "nalu": "_nalu.NALU",
    "g-nalu": "_nalu.GNALU",
    "snalu": "_snalu.SNALU",
    "nalu-sinh": "_nalu_sinh.NALUSinh",
    "inalu": "_inalu.INALU",
    "nau": "_nau.NAU",
    "nmu": "_nmu.NMU",
    "gated-nau-nmu": "_gated.GatedNAUNMU",
    "snmu": "_nmu.StochasticNMU",
    "naive-npu": "_npu.NaiveNPU",
    "real-naive-npu": "_npu.RealNaiveNPU",
    "npu": "_npu.NPU",
    "real-npu": "_npu.RealNPU",
    "nru": "_division.NRU",
    "nmru": "_division.NMRU",
    "gated-sign-nmru": "_division.GatedSignNMRU",
    "mc-fc": "_mcfc.MCFC",
    "mul-mc-fc": "_mcfc.MulMCFC",
    "hill-space": "_hill_space.HillSpace",
}
