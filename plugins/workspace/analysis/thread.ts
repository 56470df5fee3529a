/** The program of the thread that analyzes texts: one answer for each question, in order. */
import { parentPort } from 'node:worker_threads'
import { answerHere, type Question } from './questions.ts'

parentPort?.on('message', async (question: Question) => {
  try {
    const answer = await answerHere(question)
    parentPort?.postMessage({ answer }, answer instanceof Uint8Array ? [answer.buffer as ArrayBuffer] : [])
  } catch (thrown) {
    parentPort?.postMessage({ failure: String(thrown) })
  }
})
parentPort?.postMessage({ answer: 'ready' })
