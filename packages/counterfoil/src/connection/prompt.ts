import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type Dependencies, Interrupted, UsageError } from '../command.ts'

export type Prompt = ReturnType<typeof openPrompt>

/**
 * Asks questions on stderr, and reads the answers from the lines of stdin: a terminal, a file or a pipe. Close the prompt
 * before anything else reads stdin.
 */
export function openPrompt({ stdin, stderr, signal }: Omit<Dependencies, 'stdout'>) {
  let isMuted = false
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isMuted) stderr.write(chunk)
      done()
    },
  })
  const isTerminal = stdin.isTTY === true
  // Only in terminal mode does readline, and not the terminal itself, show what the user types.
  const lines = createInterface({ input: stdin, output, terminal: isTerminal, historySize: 0 })
  let isInterrupted = false
  const interrupt = () => {
    isInterrupted = true
    lines.close()
  }
  lines.on('SIGINT', interrupt)
  signal.addEventListener('abort', interrupt)
  const answers = lines[Symbol.asyncIterator]()
  return {
    /** A terminal does not show a hidden answer. */
    async ask(question: string, isHidden = false): Promise<string> {
      if (isTerminal) {
        lines.setPrompt(question)
        lines.prompt()
      } else {
        // The end of a pipe closes the interface while answers still wait.
        stderr.write(question)
      }
      isMuted = isHidden
      const { done, value } = await answers.next()
      isMuted = false
      // A terminal shows the line break of a visible answer only.
      if (isHidden || !isTerminal) stderr.write('\n')
      if (isInterrupted) throw new Interrupted()
      if (done) throw new UsageError(`the input ended before the answer to "${question.trim()}"`)
      return value.trim()
    },
    close() {
      signal.removeEventListener('abort', interrupt)
      lines.close()
    },
  }
}
