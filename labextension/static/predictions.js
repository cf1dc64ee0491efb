export default { id: 'warpwise:predictions', autoStart: true, activate() {} };
