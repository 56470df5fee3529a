import { test } from 'node:test'
import { STANDBY_FAULTS, surviveReplicaFaults, TEAM_FAULTS } from './testing/faults.ts'

const KINDS = Object.keys({ ...STANDBY_FAULTS, ...TEAM_FAULTS })
const STANDBY_FAULTS_PLAYED = Number(process.env['SATCHEL_STANDBY_FAULTS'] ?? 4)

test(`a team goes on at promoted standbys through ${STANDBY_FAULTS_PLAYED} faults and loses nothing that was acknowledged`, (t) =>
  surviveReplicaFaults(t, { faults: STANDBY_FAULTS_PLAYED, kinds: KINDS, standby: true }))
