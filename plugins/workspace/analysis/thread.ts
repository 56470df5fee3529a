/** The program of the thread that analyzes texts: one answer for each question, in order. */
import { parentPort } from 'node:worker_threads'
import { answerHere, type Question } from './questions.ts'

parentPort?.on('message', async (question: Question) => {
  try {
    parentPort?.postMessage({ answer: await answerHere(question) })
  } catch (thrown) {
    parentPort?.postMessage({ failure: String(thrown) })
  }
})
parentPort?.postMessage({ answer: 'ready' })
