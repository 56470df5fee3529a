import { test } from 'node:test'
import { DATABASE_FAULTS } from '../testing/database-faults.ts'
import { surviveReplicaFaults } from './testing/faults.ts'

const KINDS = Object.keys(DATABASE_FAULTS)
const FAULTS = Number(process.env['SATCHEL_FAULTS'] ?? 2 * KINDS.length)

test(`the database of three replicas fails ${FAULTS} times, and nothing acknowledged is lost or done twice`, (t) =>
  surviveReplicaFaults(t, { faults: FAULTS, kinds: KINDS }))
