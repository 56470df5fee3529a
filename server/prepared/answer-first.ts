import { openPromise } from '../platform/open-promise.ts'
import type { ProcessIo, RealStdout } from '../process-io.ts'
import { type FirstRequest, firstRequestIn } from './first-request.ts'
import { type AnswerText, answerLine, type PreparedAnswers } from './prepared-answers.ts'

/** A client sends its lists one after the other; loading the host in between would delay them. */
const AFTER_LISTS_MS = 60
/** The host is loaded even if no list is asked for. */
const LATEST_MS = 1_000
const MAX_LINE_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * Answers `initialize`, `server/discover` and the lists from prepared texts. Resolves with the output for the host when
 * a message needs it, or a little after the lists: it then reads `stdin` from the first message that only it can answer,
 * after those that it must know of too, whose answers are not sent twice. `ended`: the client left before.
 */
export async function answerFirst(
  { stdin, stdout }: ProcessIo,
  answers: PreparedAnswers,
): Promise<RealStdout | 'ended'> {
  let written: Promise<unknown> = Promise.resolve()
  const talk = createTalk(answers, (text) => {
    written = new Promise((resolve) => stdout.write(text, resolve))
  })
  const { promise: done, resolve: finish } = openPromise<'host' | 'ended'>()
  const toHost = (): void => {
    stdin.pause()
    finish('host')
  }
  let timer = setTimeout(toHost, LATEST_MS)
  let unread: Buffer = Buffer.alloc(0)
  const read = (chunk: Buffer): void => {
    unread = Buffer.concat([unread, chunk])
    for (let end = unread.indexOf(NEWLINE); end >= 0; end = unread.indexOf(NEWLINE)) {
      if (!talk.take(unread.subarray(0, end + 1))) {
        toHost()
        return
      }
      unread = unread.subarray(end + 1)
    }
    if (unread.length > MAX_LINE_BYTES) toHost()
    if (!talk.isListed) return
    clearTimeout(timer)
    timer = setTimeout(toHost, AFTER_LISTS_MS)
  }
  const end = (): void => finish('ended')
  const endings = ['end', 'close', 'error'] as const
  stdout.on('error', end)
  stdin.on('data', read)
  for (const event of endings) stdin.on(event, end)
  const next = await done
  clearTimeout(timer)
  stdin.off('data', read)
  for (const event of endings) stdin.off(event, end)
  if (next === 'ended') {
    await written
    return 'ended'
  }
  const forHost = Buffer.concat([...talk.replay, unread])
  if (forHost.length > 0) stdin.unshift(forHost)
  return withoutAnswers(stdout, talk.answered)
}

/** What was said before the host: it answers a message, or leaves it and all that follow to the host. */
function createTalk(answers: PreparedAnswers, write: (text: string) => void) {
  let isListed = false
  let phase: 'new' | 'initialized' | 'legacy' | 'modern' = 'new'
  const replay: Buffer[] = []
  const answered = new Set<string>()
  const say = (text: AnswerText, id: string | number): void => write(answerLine(text, id))
  const answerOf = (request: FirstRequest): AnswerText | undefined => {
    if (request.kind === 'initialized') return undefined
    if (request.kind === 'initialize')
      return phase === 'new' ? own(answers.initialize, request.revision) : undefined
    const fits = request.era === 'legacy' ? phase === 'legacy' : phase === 'new' || phase === 'modern'
    return fits ? own(answers[request.era], request.method) : undefined
  }
  return {
    replay,
    answered,
    get isListed() {
      return isListed
    },
    take(line: Buffer): boolean {
      const request = firstRequestIn(line.toString('utf8'))
      if (!request) return false
      if (request.kind === 'initialized') {
        if (phase !== 'initialized') return false
        phase = 'legacy'
        replay.push(line)
        return true
      }
      const text = answerOf(request)
      if (!text) return false
      say(text, request.id)
      if (phase === 'new') {
        // The first request decides for the host which era the client is of.
        replay.push(line)
        answered.add(JSON.stringify(request.id))
      }
      phase = request.kind === 'initialize' ? 'initialized' : request.era
      isListed ||= request.kind === 'ask' && request.method === 'tools/list'
      return true
    },
  }
}

function own(texts: Readonly<Record<string, AnswerText>>, name: string): AnswerText | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined
}

/** Drops the first answer to each of these requests, which was sent already. */
function withoutAnswers(stdout: RealStdout, answered: Set<string>): RealStdout {
  return {
    ...stdout,
    write(text, done) {
      if (answered.size === 0 || !isAnswerTo(answered, text)) return stdout.write(text, done)
      setImmediate(() => done?.())
      return true
    },
  }
}

function isAnswerTo(answered: Set<string>, text: string): boolean {
  const message: { id?: unknown; result?: unknown } = JSON.parse(text) // the host writes one message at a time
  // A refusal of the id, because it is used twice, is not the answer that was sent.
  return message.result !== undefined && answered.delete(JSON.stringify(message.id))
}
