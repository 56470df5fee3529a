import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const ENGINES = ['docker', 'podman', 'buildah'] as const

/** Where the API of a running image is reached from this machine. */
export interface Published {
  readonly port: number
}

/** A program of this machine that builds the container file and runs what it built. */
export interface Engine {
  readonly name: (typeof ENGINES)[number]
  /** Why nothing can be built on this image here, in a few words; undefined where it can. Pulls an image that is not there. */
  lackFor(baseImage: string): string | undefined
  /** Builds one target and gives the image's name. Fails the test with the end of the builder's output. */
  build(target: string, folder: string): string
  /** The image's user, entry point and so on, as JSON of the OCI configuration. */
  config(image: string): Record<string, unknown>
  /** Starts the image's own command, or `command` in it; ended and removed with the test. */
  run(t: TestContext, image: string, options?: { command?: readonly string[]; at?: Published }): ChildProcess
}

/**
 * The first engine that answers. `buildah` needs no daemon: where the machine gives it no namespaces,
 * BUILDAH_ISOLATION=chroot does.
 */
export function findEngine(): Engine | undefined {
  const name = ENGINES.find((one) => spawnSync(one, ['info'], { stdio: 'ignore' }).status === 0)
  if (name === undefined) return undefined
  return name === 'buildah' ? buildah() : daemon(name)
}

function ask(program: string, args: readonly string[]): string {
  const ran = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  assert.equal(ran.status, 0, `${program} ${args[0]}: ${ran.stderr?.slice(-2000)}`)
  return ran.stdout.trim()
}

/** Longest wait for an image, or for what shows that a build gets everything it needs. */
const TRIAL_MS = 90_000

/** What the container file itself asks of the registries, with the certificate authority that it takes. */
const TRIAL = `ARG NODE_EXTRA_CA_CERTS=
RUN --mount=type=secret,id=ca,target=/usr/local/share/ca-certificates/extra.crt \\
  apt-get update -qq && apt-get install -qq --yes --no-install-recommends ca-certificates \\
  && update-ca-certificates && npm ping --fetch-retries=0
`

/** A build needs the base image, a container that runs, and from in there the registries of packages. */
function lackFor(program: string, image: string, inspect: readonly string[]): string | undefined {
  const isHere = spawnSync(program, [...inspect, image], { stdio: 'ignore' }).status === 0
  if (!isHere && trial(program, ['pull', image]) !== undefined) {
    return `the base image ${image} is neither here nor can it be pulled`
  }
  const folder = mkdtempSync(join(tmpdir(), 'satchel-trial-'))
  try {
    writeFileSync(join(folder, 'Dockerfile'), `FROM ${image}\n${TRIAL}`)
    const failed = trial(program, ['build', ...moreArguments(), '--tag', 'satchel-trial:test', folder])
    return failed && `${program} runs no container that reaches the registries of packages (${failed})`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The last words of a program that failed; undefined when it did not. */
function trial(program: string, args: readonly string[]): string | undefined {
  const ran = spawnSync(program, args, { encoding: 'utf8', timeout: TRIAL_MS, maxBuffer: 1 << 26 })
  if (ran.status === 0) return undefined
  return ran.stderr?.trim().split('\n').at(-1)?.slice(-160) || 'no words'
}

/** SATCHEL_DOCKER_ARGS adds words to every build: a proxy, a certificate authority. */
function moreArguments(): string[] {
  return process.env['SATCHEL_DOCKER_ARGS']?.split(' ').filter(Boolean) ?? []
}

function buildImage(program: string, target: string, folder: string): string {
  const image = `satchel-${target}:test`
  ask(program, ['build', ...moreArguments(), '--target', target, '--tag', image, folder])
  return image
}

function start(t: TestContext, program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGTERM'))
  return child
}

function daemon(name: 'docker' | 'podman'): Engine {
  return {
    name,
    lackFor: (image) => lackFor(name, image, ['image', 'inspect']),
    build: (target, folder) => buildImage(name, target, folder),
    config: (image) => JSON.parse(ask(name, ['image', 'inspect', '--format', '{{json .Config}}', image])),
    run: (t, image, { command = [], at } = {}) => {
      const publish = at ? ['--publish', `127.0.0.1:${at.port}:8000`] : []
      return start(t, name, ['run', '--rm', '--interactive', ...publish, image, ...command])
    },
  }
}

/** Builds only; what it made is run in a working container, which shares the network of this machine. */
function buildah(): Engine {
  const config = (image: string): Record<string, unknown> =>
    JSON.parse(ask('buildah', ['inspect', '--type', 'image', image])).OCIv1.config
  return {
    name: 'buildah',
    lackFor: (image) => lackFor('buildah', image, ['inspect', '--type', 'image']),
    build: (target, folder) => buildImage('buildah', target, folder),
    config,
    run: (t, image, { command, at } = {}) => {
      const { Entrypoint = [], Cmd = [] } = config(image) as { Entrypoint?: string[]; Cmd?: string[] }
      const container = ask('buildah', ['from', image])
      const child = start(t, 'buildah', [
        'run',
        ...(at ? ['--env', 'SERVER_HOST=127.0.0.1', '--env', `SERVER_PORT=${at.port}`] : []),
        container,
        '--',
        ...Entrypoint,
        ...(command ?? Cmd),
      ])
      t.after(async () => {
        if (child.exitCode === null && child.signalCode === null) {
          await new Promise((resolve) => child.once('close', resolve))
        }
        ask('buildah', ['rm', container])
      })
      return child
    },
  }
}
