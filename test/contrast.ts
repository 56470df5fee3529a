import type { Page } from 'playwright-core'

/** A text on a page, and the contrast of its colour to what is behind it: 1 is none, 21 is black on white. */
export interface ShownText {
  readonly text: string
  readonly contrast: number
}

/** The visible texts of a page by the contrast of WCAG 2, the least first. */
export async function contrastsOn(page: Page): Promise<readonly ShownText[]> {
  const shown = (await page.evaluate(MEASURE)) as readonly ShownText[] // what MEASURE gives
  return shown.toSorted((a, b) => a.contrast - b.contrast)
}

/** A program of the page. It is text, so that no helper of a compiler gets into it. */
const MEASURE = `(() => {
  const colour = (css) => {
    const [r, g, b, a = 1] = css.match(/[\\d.]+/g).map(Number)
    return { r, g, b, a }
  }
  const over = (front, back) => {
    const mix = (name) => front[name] * front.a + back[name] * (1 - front.a)
    return { r: mix('r'), g: mix('g'), b: mix('b'), a: 1 }
  }
  const light = ({ r, g, b }) => {
    const linear = [r, g, b].map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }
  const withParents = (element) => element ? [element, ...withParents(element.parentElement)] : []
  const canvas = { r: 255, g: 255, b: 255, a: 1 }
  const behind = (element) => withParents(element).map((each) => colour(getComputedStyle(each).backgroundColor)).reduceRight((back, front) => over(front, back), canvas)
  const shown = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement
    const text = texts.currentNode.textContent.trim()
    const { width, height } = element.getBoundingClientRect()
    if (!text || !width || !height || element.closest('script, style, noscript')) continue
    const back = behind(element)
    const ink = colour(getComputedStyle(element).color)
    const opacity = withParents(element).reduce((product, each) => product * Number(getComputedStyle(each).opacity), ink.a)
    const [more, less] = [light(over({ ...ink, a: opacity }, back)), light(back)].sort((a, b) => b - a)
    shown.push({ text: text.slice(0, 40), contrast: (more + 0.05) / (less + 0.05) })
  }
  return shown
})()`
