"""The PTX that teaching kernels are compiled to: units (a base opcode with its space or class of
types) and the opcodes met in each, from a census of public kernels. Left out: tensor cores, bulk
copies, textures and surfaces."""

UNITS = {
    "add.int": "add.s64 add.s32 add.u64 add.s16 add.u32",
    "mul.wide": "mul.wide.s32 mul.wide.u32 mul.wide.u16 mul.wide.s16",
    "mad.lo": "mad.lo.s32",
    "mul.lo": "mul.lo.s32 mul.lo.s64 mul.lo.s16 mul.lo.u32",
    "sub.int": "sub.s32 sub.s64 sub.s16",
    "div.int": "div.u32 div.s32 div.u64 div.s64 div.u16",
    "neg.int": "neg.s32 neg.s64",
    "max.int": "max.s32 max.u32 max.u16",
    "rem.int": "rem.s32 rem.u32 rem.u64",
    "min.int": "min.u32 min.s32 min.u16",
    "mad.wide": "mad.wide.u32",
    "mul.hi": "mul.hi.s32 mul.hi.u32",
    "abs.int": "abs.s32",
    "vabsdiff4": "vabsdiff4.u32.u32.u32.add",
    "dp4a": "dp4a.s32.s32",
    "carry(.cc)": (
        "mad.lo.cc.u32 madc.hi.cc.u32 madc.hi.u32 madc.lo.cc.u32 addc.u32 sub.cc.u32 "
        "subc.cc.u32 subc.u32 add.cc.u32 addc.cc.u32"
    ),
    "fma.f32": "fma.rn.f32 fma.rm.f32 fma.rz.f32",
    "add.f32": "add.f32 add.rn.f32 add.rz.f32",
    "mul.f32": "mul.f32 mul.rn.f32",
    "sub.f32": "sub.f32",
    "neg.f32": "neg.f32",
    "max.f32": "max.f32",
    "abs.f32": "abs.f32",
    "min.f32": "min.f32",
    "mul.f64": "mul.f64 mul.rn.f64",
    "add.f64": "add.f64 add.rn.f64",
    "fma.f64": "fma.rn.f64",
    "sub.f64": "sub.f64",
    "neg.f64": "neg.f64",
    "abs.f64": "abs.f64",
    "max.f64": "max.f64",
    "add.f16": "add.f16 add.f16x2",
    "mul.f16": "mul.f16 mul.f16x2",
    "fma.f16": "fma.rn.f16 fma.rn.bf16 fma.rn.f16x2 fma.rn.bf16x2",
    "max.f16": "max.f16 max.f16x2",
    "abs.f16": "abs.f16",
    "sub.f16": "sub.f16",
    "min.f16": "min.f16",
    "neg.f16": "neg.f16",
    "mov": "mov.u32 mov.u64 mov.f32 mov.b32 mov.u16 mov.f64 mov.b16 mov.b64",
    "shl.int": "shl.b32 shl.b64 shl.b16",
    "and.int": "and.b32 and.b64 and.b16",
    "shr.int": "shr.u32 shr.s32 shr.u64 shr.u16 shr.s64 shr.s16",
    "or.pred": "or.pred",
    "or.int": "or.b32 or.b64 or.b16",
    "not.int": "not.b32 not.b64 not.b16",
    "xor.int": "xor.b32 xor.b64",
    "and.pred": "and.pred",
    "not.pred": "not.pred",
    "mov.pred": "mov.pred",
    "bfi": "bfi.b64 bfi.b32",
    "xor.pred": "xor.pred",
    "prmt": "prmt.b32",
    "bfind": "bfind.shiftamt.u32 bfind.u32",
    "brev": "brev.b32",
    "popc": "popc.b32",
    "clz": "clz.b64 clz.b32",
    "shf": "shf.l.wrap.b32",
    "bfe": "bfe.u32",
    "setp.int": (
        "setp.ge.s32 setp.ne.s32 setp.lt.s32 setp.eq.s32 setp.lt.u32 setp.gt.s32 setp.ge.u32 "
        "setp.gt.u32 setp.ge.u64 setp.lt.u64 setp.eq.s64 setp.eq.s16 setp.ne.s64 setp.lt.s64 "
        "setp.le.s32 setp.ge.s64 setp.le.u64 setp.eq.b32 setp.le.u32 setp.ne.s16 setp.gt.u64 "
        "setp.eq.b64 setp.gt.s16 setp.gt.u16 setp.gt.s64 setp.lt.s16 setp.le.u16 setp.ne.b32 "
        "setp.lt.u16 setp.le.s64"
    ),
    "selp.int": "selp.b32 selp.u32 selp.u16 selp.b64 selp.b16 selp.u64",
    "setp.f32": (
        "setp.lt.f32 setp.gt.f32 setp.eq.f32 setp.ltu.f32 setp.ge.f32 setp.leu.f32 "
        "setp.geu.f32 setp.le.f32 setp.neu.f32 setp.gtu.f32"
    ),
    "selp.f32": "selp.f32",
    "setp.f16": "setp.lt.f16 setp.gt.f16",
    "setp.f64": (
        "setp.gt.f64 setp.leu.f64 setp.ltu.f64 setp.neu.f64 setp.ge.f64 setp.lt.f64 "
        "setp.le.f64 setp.eq.f64"
    ),
    "set.f16": "set.eq.f16.f16",
    "selp.f64": "selp.f64",
    "cvt.int<-int": (
        "cvt.s64.s32 cvt.u64.u32 cvt.u32.u64 cvt.u16.u32 cvt.u32.u16 cvt.s32.s8 cvt.s32.s16 "
        "cvt.u16.u64 cvt.s16.s8"
    ),
    "cvt.f32<-int": (
        "cvt.rn.f32.s32 cvt.rn.f32.u32 cvt.rn.f32.u16 cvt.rn.f32.u64 cvt.rn.f32.s16 "
        "cvt.rn.f32.s64 cvt.rm.f32.s32 cvt.rp.f32.s32 cvt.rz.f32.s32"
    ),
    "cvt.f16<-f32": "cvt.rn.f16.f32 cvt.rn.bf16.f32 cvt.rn.f16x2.f32 cvt.rz.f16.f32",
    "cvt.f32<-f32": (
        "cvt.sat.f32.f32 cvt.rzi.f32.f32 cvt.rni.f32.f32 cvt.rmi.f32.f32 cvt.rpi.f32.f32"
    ),
    "cvt.int<-f32": "cvt.rzi.s32.f32 cvt.rzi.u32.f32 cvt.rni.s32.f32 cvt.rzi.u64.f32",
    "cvt.f32<-f64": "cvt.rn.f32.f64",
    "cvt.f32<-f16": "cvt.f32.f16",
    "cvt.f64<-f32": "cvt.f64.f32",
    "cvt.f64<-int": "cvt.rn.f64.s64 cvt.rn.f64.s32 cvt.rn.f64.u32 cvt.rn.f64.u16",
    "cvt.f16<-f64": "cvt.rn.f16.f64",
    "cvt.f16<-int": "cvt.rn.f16.s32",
    "cvt.f64<-f64": "cvt.sat.f64.f64 cvt.rpi.f64.f64",
    "cvt.int<-f64": "cvt.rzi.s32.f64 cvt.rzi.u32.f64 cvt.rni.s32.f64",
    "cvt.tf32<-f32": "cvt.rna.tf32.f32",
    "cvt.int<-f16": "cvt.rzi.s32.f16",
    "ld.param": (
        "ld.param.u64 ld.param.u32 ld.param.f32 ld.param.b32 ld.param.s8 ld.param.f64 "
        "ld.param.s32 ld.param.u8 ld.param.u16 ld.param.s16 ld.param.b64"
    ),
    "cvta.to": "cvta.to.global.u64 cvta.to.local.u64 cvta.to.shared.u64",
    "st.global": (
        "st.global.f32 st.global.u32 st.global.u16 st.global.f64 st.global.u8 st.global.u64"
    ),
    "ld.global": (
        "ld.global.f32 ld.global.u32 ld.global.u16 ld.global.f64 ld.global.u8 ld.global.u64 "
        "ld.global.s32 ld.global.s8"
    ),
    "st.shared": (
        "st.shared.f32 st.shared.u32 st.shared.u16 st.shared.f64 st.shared.u64 st.shared.u8"
    ),
    "ld.shared": (
        "ld.shared.f32 ld.shared.u32 ld.shared.f64 ld.shared.u16 ld.shared.u8 ld.shared.u64 "
        "ld.shared.s16 ld.shared.b32 ld.shared.s8"
    ),
    "st.global.vN": (
        "st.global.v4.f32 st.global.v4.u32 st.global.v4.u16 st.global.v2.f32 st.global.v2.u16 "
        "st.global.v4.u8 st.global.v2.u32 st.global.v2.u8 st.global.v2.f64"
    ),
    "ld.global.vN": (
        "ld.global.v4.f32 ld.global.v4.u32 ld.global.v2.u16 ld.global.v4.u16 ld.global.v2.f32 "
        "ld.global.v2.u32 ld.global.v4.u8 ld.global.v2.f64"
    ),
    "ld.global.nc": (
        "ld.global.nc.f32 ld.global.nc.u32 ld.global.nc.f64 ld.global.nc.u8 ld.global.nc.u16 "
        "ld.global.nc.L2::128B.f32 ld.global.nc.b64 ld.global.nc.u64"
    ),
    "cvta": "cvta.global.u64 cvta.local.u64 cvta.shared.u64 cvta.param.u64",
    "st.param": "st.param.b64 st.param.b32 st.param.f32 st.param.f64",
    "ld.const": "ld.const.f32 ld.const.u32 ld.const.u64 ld.const.f64 ld.const.u16",
    "ld.shared.vN": (
        "ld.shared.v4.f32 ld.shared.v4.u32 ld.shared.v2.f32 ld.shared.v2.u16 ld.shared.v2.u32 "
        "ld.shared.v4.u8 ld.shared.v2.f64"
    ),
    "st.shared.vN": (
        "st.shared.v4.u32 st.shared.v4.f32 st.shared.v2.f32 st.shared.v2.u32 st.shared.v2.u16 "
        "st.shared.v4.u8 st.shared.v4.b32"
    ),
    "st.local": "st.local.u32 st.local.f32 st.local.u64 st.local.f64 st.local.u8",
    "ld.local": "ld.local.u32 ld.local.f32 ld.local.u64",
    "ld.global.cs": "ld.global.cs.f32 ld.global.cs.b16",
    "ld.global.cs.vN": "ld.global.cs.v4.s32 ld.global.cs.v4.b32 ld.global.cs.v4.f32",
    "st.local.vN": (
        "st.local.v2.u32 st.local.v4.f32 st.local.v4.u32 st.local.v2.f32 st.local.v2.f64"
    ),
    "ld.param.vN": "ld.param.v2.u32",
    "ld.global.nc.vN": (
        "ld.global.nc.v4.f32 ld.global.nc.v4.u32 ld.global.nc.v2.f32 ld.global.nc.v2.u32 "
        "ld.global.nc.v2.f64"
    ),
    "st.global.cs": "st.global.cs.f32 st.global.cs.b16",
    "st.volatile.shared": "st.volatile.shared.f32 st.volatile.shared.u32",
    "ld.volatile.shared": "ld.volatile.shared.f32 ld.volatile.shared.u32",
    "ld.generic": "ld.u64 ld.u32 ld.f32",
    "st.global.cs.vN": "st.global.cs.v4.s32 st.global.cs.v4.b32",
    "ld.acq/rel.generic": (
        "ld.acquire.gpu.u32 ld.acquire.cta.u32 ld.relaxed.cta.b32 ld.acquire.sys.b32"
    ),
    "st.generic": "st.u32 st.u64 st.f32 st.u8",
    "ld.const.vN": "ld.const.v4.f32 ld.const.v2.u32",
    "ld.global.cg": "ld.global.cg.b32",
    "st.global.cg.vN": "st.global.cg.v4.s32",
    "ld.volatile.global": "ld.volatile.global.u32",
    "isspacep": "isspacep.local",
    "st.acq/rel.generic": "st.relaxed.cta.b32",
    "st.acq/rel.global": "st.release.sys.global.u8",
    "ld.acq/rel.global": "ld.acquire.sys.global.u8",
    "ld.volatile.global.vN": "ld.volatile.global.v4.u32",
    "ld.global.cg.vN": "ld.global.cg.v4.s32",
    "st.global.wt": "st.global.wt.b16",
    "ld.local.vN": "ld.local.v2.f32 ld.local.v4.f32",
    "atom.global.add.f32": "atom.global.add.f32",
    "atom.global.add.int": "atom.global.add.u32 atom.global.sys.add.u32",
    "atom.shared.add.int": "atom.shared.add.u32",
    "atom.generic.add.int.sem": (
        "atom.add.release.gpu.u32 atom.add.acquire.gpu.s32 atom.add.acquire.sys.s32 "
        "atom.add.acquire.cta.s32 atom.add.relaxed.cta.u32 atom.add.acquire.cta.u32 "
        "atom.add.acq_rel.sys.s32"
    ),
    "atom.global.cas.int": "atom.global.cas.b32 atom.global.cas.b64 atom.global.sys.cas.b32",
    "atom.shared.add.f32": "atom.shared.add.f32",
    "atom.global.inc.int": "atom.global.inc.u32 atom.global.sys.inc.u32",
    "atom.global.exch.int": "atom.global.exch.b32 atom.global.sys.exch.b32",
    "atom.global.add.f64": "atom.global.add.f64 atom.global.sys.add.f64",
    "atom.global.max.int": "atom.global.max.s32 atom.global.sys.max.s32",
    "atom.shared.exch.int": "atom.shared.exch.b32",
    "atom.global.and.int": "atom.global.and.b32 atom.global.sys.and.b32",
    "atom.global.or.int": "atom.global.or.b32 atom.global.sys.or.b32",
    "atom.generic.add.int": "atom.add.u32",
    "atom.global.min.int": "atom.global.min.s32 atom.global.sys.min.s32",
    "atom.global.dec.int": "atom.global.dec.u32 atom.global.sys.dec.u32",
    "atom.global.xor.int": "atom.global.xor.b32 atom.global.sys.xor.b32",
    "atom.generic.add.f16": "atom.add.noftz.f16 atom.add.noftz.f16x2",
    "red.generic.and.int.sem": "red.and.release.cta.b32",
    "atom.generic.or.int.sem": "atom.or.acq_rel.cta.b32",
    "atom.shared.add.f64": "atom.shared.add.f64",
    "atom.generic.cas.int": "atom.cas.b32",
    "atom.generic.exch.int": "atom.exch.b32",
    "atom.shared.or.int": "atom.shared.or.b32",
    "bar.sync": "bar.sync",
    "barrier.sync": "barrier.sync",
    "bar.warp.sync": "bar.warp.sync",
    "mbarrier": (
        "mbarrier.init.shared.b64 mbarrier.init.shared::cta.b64 "
        "mbarrier.arrive.shared::cluster.b64 mbarrier.try_wait.parity.shared::cta.b64 "
        "mbarrier.arrive.expect_tx.shared::cta.b64 mbarrier.arrive.shared.b64 "
        "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 mbarrier.test_wait.shared.b64 "
        "mbarrier.arrive.shared::cta.b64 mbarrier.try_wait.shared.b64 "
        "mbarrier.test_wait.parity.shared.b64 mbarrier.inval.shared.b64 "
        "mbarrier.arrive.release.cta.shared::cta.b64 "
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64"
    ),
    "fence": "fence.gpu.sc fence.cta.sc fence.sys.sc fence.proxy.async.shared::cta",
    "membar": "membar.gl membar.sys",
    "nanosleep": "nanosleep.u32",
    "barrier.cluster": "barrier.cluster.arrive barrier.cluster.wait",
    "shfl.bfly": "shfl.sync.bfly.b32",
    "shfl.down": "shfl.sync.down.b32",
    "shfl.idx": "shfl.sync.idx.b32",
    "shfl.up": "shfl.sync.up.b32",
    "vote.ballot": "vote.sync.ballot.b32",
    "activemask": "activemask.b32",
    "redux": "redux.sync.add.s32 redux.sync.max.s32",
    "vote.any": "vote.sync.any.pred",
    "vote.all": "vote.sync.all.pred",
    "match": "match.any.sync.b32 match.any.sync.b64",
    "ret": "ret",
    "bra": "bra bra.uni",
    "call": "call.uni call",
    "trap": "trap",
    "call.indirect": "call.indirect",
    "div.f32": "div.rn.f32",
    "ex2.f32.approx": "ex2.approx.ftz.f32 ex2.approx.f32",
    "rcp.f32": "rcp.rn.f32",
    "sqrt.f32": "sqrt.rn.f32",
    "rcp.f32.approx": "rcp.approx.ftz.f32",
    "rsqrt.f32.approx": "rsqrt.approx.f32 rsqrt.approx.ftz.f32",
    "div.f64": "div.rn.f64",
    "rcp.f64": "rcp.rn.f64",
    "div.f32.approx": "div.approx.f32",
    "sin.f32.approx": "sin.approx.f32",
    "cos.f32.approx": "cos.approx.f32",
    "lg2.f32.approx": "lg2.approx.f32",
    "sqrt.f64": "sqrt.rn.f64",
    "rsqrt.f64.approx": "rsqrt.approx.f64",
    "rcp.f64.approx": "rcp.approx.ftz.f64",
    "cp.async": (
        "cp.async.wait_group cp.async.commit_group cp.async.cg.shared.global.L2::128B "
        "cp.async.cg.shared.global cp.async.ca.shared.global.L2::128B "
        "cp.async.ca.shared.global cp.async.mbarrier.arrive.shared.b64 cp.async.wait_all"
    ),
    "mapa": "mapa.shared::cluster.u32",
}
