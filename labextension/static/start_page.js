export default { id: 'warpwise:start', autoStart: true, activate() {} };
