import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingForSystemd, type SystemdMachine, startSystemd } from './systemd-machine.ts'

const DOCS = join(import.meta.dirname, '../docs')
const UNIT = readFileSync(join(DOCS, 'satchel.service'), 'utf8')
const SOCKET = '/run/satchel/satchel.sock'
const RECORD = { title: 'a', objective: 'b', current_state: 'c' }
const missing = missingForSystemd()

/** The commands of the page for operators, in the folder of the unit. */
function documentedCommands(): string {
  const page = readFileSync(join(DOCS, 'operating.md'), 'utf8')
  const [, commands = ''] = /## As a service of systemd[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? []
  return commands
}

interface Answer {
  readonly status: number | undefined
  readonly text: string
}

async function ask(machine: SystemdMachine, path: string, body?: object): Promise<Answer> {
  const asked = request({
    socketPath: machine.path(SOCKET),
    path,
    method: body ? 'POST' : 'GET',
    headers: { host: 'localhost', ...(body && { 'content-type': 'application/json' }) },
  }).end(body && JSON.stringify(body))
  const [response] = await once(asked, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, text }
}

/** The status that root of the machine gets over loopback. */
function statusOverLoopback(machine: SystemdMachine, token?: string): number {
  const headers = token === undefined ? '{}' : `{authorization:'Bearer ${token}'}`
  const script = `fetch('http://127.0.0.1:8000/handoffs',{headers:${headers}}).then((got)=>console.log(got.status))`
  return Number(machine.run(`/opt/satchel/node -e "${script}"`))
}

const mainPid = (machine: SystemdMachine): string => machine.run('systemctl show -P MainPID satchel')
const isListening = `test -S ${SOCKET}`

test('the documented commands run the unit under systemd: confined, started again after a kill, stopped in order', {
  skip: missing !== undefined && `NOT RUN: needs ${missing}`,
}, async (t) => {
  const machine = await startSystemd(t)
  const unit = UNIT.replace('/usr/bin/satchel', '/opt/satchel/node /opt/satchel/dist/satchel.js')
  writeFileSync(machine.path('/run/satchel.service'), unit)
  machine.run(`cd /run; ${documentedCommands()}`)
  await machine.until(isListening)

  const created = await ask(machine, '/handoffs', RECORD)
  const [, token = ''] =
    /SATCHEL_TOKEN=(\w+)/.exec(readFileSync(machine.path('/etc/satchel/environment'), 'utf8')) ?? []
  const pid = mainPid(machine)
  const facts = machine.run(`cat /proc/${pid}/status`)
  const fact = (name: string): string | undefined => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(facts)?.[1]
  const inside = `nsenter -t ${pid} -m --`

  assert.equal(created.status, 200, created.text)
  assert.deepEqual([statusOverLoopback(machine), statusOverLoopback(machine, token)], [401, 200])
  assert.equal(fact('Uid'), machine.run('id -u satchel'))
  assert.deepEqual([fact('NoNewPrivs'), fact('Seccomp')], ['1', '2'])
  assert.match(`${fact('CapEff')}${fact('CapBnd')}`, /^0+$/)
  assert.equal(machine.statusOf(`${inside} touch /var/lib/satchel/x /var/cache/satchel/x`), 0)
  for (const folder of ['/usr', '/etc', '/opt', '/var/lib'])
    assert.notEqual(machine.statusOf(`${inside} touch ${folder}/x`), 0, folder)
  assert.equal(readdirSync(machine.path('/var/lib/satchel/.handoffs/records')).length, 1)

  machine.run(`kill -KILL ${pid}`)
  await machine.until(
    `test "$(systemctl show -P MainPID satchel)" -gt 1 && ! test -e /proc/${pid} && ${isListening}`,
  )
  await machine.until(`test "$(systemctl show -P NRestarts satchel)" = 1`)
  let again: Answer = { status: undefined, text: '' }
  while (again.status === undefined)
    again = await ask(machine, '/handoffs').catch(() => ({ status: undefined, text: '' }))
  assert.match(again.text, new RegExp(JSON.parse(created.text).id))

  machine.run('systemctl stop satchel')
  assert.deepEqual(machine.run('systemctl show -P Result -P ExecMainStatus satchel').split('\n').sort(), [
    '0',
    'success',
  ])
  assert.equal(existsSync(machine.path(SOCKET)), false)
})
