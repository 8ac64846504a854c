import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type Dependencies, Interrupted, UsageError } from '../command.ts'

/** Asks questions on stderr and reads an answer from each line of stdin: of a terminal, a file or a pipe. */
export interface Prompt {
  ask(question: string): Promise<string>
  /** Asks for a secret. The terminal does not show the answer. */
  askHidden(question: string): Promise<string>
  close(): void
}

/** Opens stdin for answers. Close the prompt before anything else reads stdin. */
export function openPrompt({
  stdin,
  stderr,
  signal,
}: Pick<Dependencies, 'stdin' | 'stderr' | 'signal'>): Prompt {
  let isHidden = false
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isHidden) stderr.write(chunk)
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
  const read = async (question: string, hidden: boolean) => {
    if (isTerminal) {
      lines.setPrompt(question)
      lines.prompt()
    } else {
      // The end of a pipe closes the interface while answers still wait.
      stderr.write(question)
    }
    isHidden = hidden
    const { done, value } = await answers.next()
    isHidden = false
    // A terminal shows the line break of a visible answer only.
    if (hidden || !isTerminal) stderr.write('\n')
    if (isInterrupted) throw new Interrupted()
    if (done) throw new UsageError(`the input ended before the answer to "${question.trim()}"`)
    return value.trim()
  }
  return {
    ask: async (question) => await read(question, false),
    askHidden: async (question) => await read(question, true),
    close() {
      signal.removeEventListener('abort', interrupt)
      lines.close()
    },
  }
}
