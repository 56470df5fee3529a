/** The public test kit (published as `satchel/testing`). */
export { DOOR_NAMES, type DoorName, forEachDoor, type OpenDoor, type Outcome, openDoors } from './doors.ts'
export { type OpenHostOptions, openHost, type TestHost } from './open-host.ts'
export { matchesSnapshot } from './snapshot.ts'
export { temporaryFolder } from './temporary-folder.ts'
