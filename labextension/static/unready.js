export default { id: 'warpwise:unready', autoStart: true, activate() {} };
