import { test } from 'node:test'
import { OWNER_FAULTS, surviveReplicaFaults } from './testing/faults.ts'

const KINDS = Object.keys(OWNER_FAULTS)
const FAULTS = Number(process.env['SATCHEL_FAULTS'] ?? 2 * KINDS.length)

test(`the owner of a room of three replicas fails ${FAULTS} times, and nothing acknowledged is lost or done twice`, (t) =>
  surviveReplicaFaults(t, { faults: FAULTS, kinds: KINDS }))
