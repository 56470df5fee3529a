import { test } from 'node:test'
import { REPLICA_FAULTS, surviveReplicaFaults } from './testing/faults.ts'

const KINDS = Object.keys(REPLICA_FAULTS)
/** Two of each kind: with those of the other files, over thirty. The long proofs play a thousand. */
const FAULTS = Number(process.env['SATCHEL_FAULTS'] ?? 2 * KINDS.length)

test(`three replicas and their connections fail ${FAULTS} times, and nothing acknowledged is lost or done twice`, (t) =>
  surviveReplicaFaults(t, { faults: FAULTS, kinds: KINDS }))
