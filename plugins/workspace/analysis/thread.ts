/** The program of the thread that analyzes texts: one answer for each question, in order. */
import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { answerHere, type Question } from './questions.ts'

/** A tenth of what the thread that answers calls gets where both want the same processor, so that a call waits for itself. */
const NICE = 10

giveWay()
parentPort?.on('message', async (question: Question) => {
  try {
    const answer = await answerHere(question)
    parentPort?.postMessage({ answer }, answer instanceof Uint8Array ? [answer.buffer as ArrayBuffer] : [])
  } catch (thrown) {
    parentPort?.postMessage({ failure: String(thrown) })
  }
})
parentPort?.postMessage({ answer: 'ready' })

/** Only Linux has a priority for each thread; elsewhere the number of a thread would be taken for one of a process. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (getPriority(thread) < NICE) setPriority(thread, NICE)
  } catch {
    // Without /proc the thread keeps its priority: it answers the same.
  }
}
