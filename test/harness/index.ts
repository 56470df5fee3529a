/** The public test kit (published as `satchel/testing`). */
export { type OpenHostOptions, openHost, type TestHost, temporaryFolder } from './open-host.ts'
