import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { roomPlace } from '../plugins/workspace/engine/open-room.ts'
import { startCli } from '../server/cli/testing/run-cli.ts'
import { temporaryFolder } from './harness/index.ts'
import { killed } from './harness/killed.ts'
import { undoAfter } from './harness/undo.ts'
import { SATCHEL } from './satchel-process.ts'
import { spawnRoomProcess } from './workspace-process.ts'
import { askOnce } from './workspace-server-fixture.ts'

/** The folder of an open room goes away under the process that owns it. */

interface Served {
  readonly child: ChildProcess
  readonly file: string
  readonly sidecar: string
  readonly ingress: string
  /** Of a session with an agent's capabilities. */
  readonly token: string
}

/** `satchel workspace open` in a process of its own. */
async function serve(t: TestContext): Promise<Served> {
  const file = join(await temporaryFolder(t), 'plan.md')
  writeFileSync(file, '# Plan\n')
  const argv = ['workspace', 'open', file, '--json', '--owner-port', '0', '--ingress-port', '0']
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, ...argv], { stdio: ['ignore', 'pipe', 'ignore'] })
  undoAfter(t, () => killed(child))
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { ingress } = JSON.parse(String(line)) as { ingress: string }
  const { sidecar, socket } = roomPlace(file, {})
  const { json: invited } = await askOnce(socket, 'POST', '/local/invite', { body: {} })
  const body = { invite: invited['uri'], name: 'ada' }
  const { json: joined } = await askOnce(ingress, 'POST', '/session/join', { body })
  return { child, file, sidecar, ingress, token: String(joined['token']) }
}

const away = (sidecar: string): string => `${sidecar}.elsewhere`
const GOINGS: Readonly<Record<string, (sidecar: string) => void>> = {
  moved: (sidecar) => renameSync(sidecar, away(sidecar)),
  removed: (sidecar) => rmSync(sidecar, { recursive: true }),
}

for (const [what, go] of Object.entries(GOINGS)) {
  test(`the folder of an open room is ${what}: every concurrent caller, and the next, is told why before the process ends with 7`, async (t) => {
    const { child, sidecar, ingress, token } = await serve(t)
    const exited = once(child, 'exit')
    const change = { base_version: 1, summary: 's', content: '# New\n' }
    const ask = (n: number) =>
      n % 2 === 0
        ? askOnce(ingress, 'POST', '/workspace/propose', { token, body: change })
        : askOnce(ingress, 'GET', '/workspace/status', { token })

    go(sidecar)
    const inFlight = Array.from({ length: 12 }, (_, n) => ask(n))
    // At the first answer, not the last: the process stays for a second after it knows.
    const next = Promise.race(inFlight).then(() => ask(0))
    const answers = await Promise.all([...inFlight, next])
    const [code] = await exited

    for (const { status, json } of answers) {
      assert.deepEqual([status, json['code'], json['reason']], [503, 'unavailable', 'store_poisoned'])
      assert.match(String(json['detail']), /moved or removed.*Move it back/)
    }
    assert.equal(code, 7)
    assert.equal(existsSync(sidecar), false)
  })
}

test('an agent whose room’s folder was moved is told so until it is back, and begins no other room meanwhile', async (t) => {
  const { child, file, sidecar } = await serve(t)
  const exited = once(child, 'exit')
  const agent = spawnRoomProcess(t, { name: 'bob', args: ['--room', file] })
  const change = { base_version: 1, summary: 's', content: '# New\n' }
  const { proposal_id } = await agent.call('workspace_propose', change)
  const refused = async (): Promise<unknown> => {
    const { error } = (await agent.call('workspace_status', {})) as { error: Record<string, unknown> }
    return [error['code'], error['reason']]
  }

  renameSync(sidecar, away(sidecar))
  const answers = [await refused(), await refused()]
  const verb = await startCli(['workspace', 'call', 'status', '--room', file, '--json'], {
    cwd: join(file, '..'),
  }).done
  await exited
  const hasBegunAnother = existsSync(sidecar)
  renameSync(away(sidecar), sidecar)
  const back = await agent.call('workspace_proposal', { proposal_id })

  assert.deepEqual(answers, [
    ['not_found', 'room_not_found'],
    ['not_found', 'room_not_found'],
  ])
  assert.deepEqual([verb.code, JSON.parse(verb.out).error.reason], [7, 'room_not_running'])
  assert.equal(hasBegunAnother, false)
  assert.equal(back['status'], 'pending')
})

test('a new room begins where the folder of an open one was removed: the first owner ends, and takes nothing of the second along', async (t) => {
  const { child, file, sidecar } = await serve(t)
  const exited = once(child, 'exit')
  const agent = spawnRoomProcess(t, { name: 'bob', args: ['--room', file] })
  await agent.send('tools/list', {})

  rmSync(sidecar, { recursive: true })
  const begun = await agent.call('workspace_status', {})
  const [code] = await exited
  const other = spawnRoomProcess(t, { name: 'cleo', args: ['--room', file] })
  const seen = await other.call('workspace_status', {})

  assert.equal(code, 7)
  assert.equal(seen['workspace_id'], begun['workspace_id'])
})
