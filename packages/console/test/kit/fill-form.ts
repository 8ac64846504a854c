import type { Page } from 'playwright-core'
import { expectShown } from './serve-console.ts'

/** The address of the form, as a person types it. */
export const FORM_URL = 'https://Gate.example.com/gate/api/v4/payout/1144?lang=de'

/** Fills the view Signature with a form of two fields, of the login `shop`. */
export async function fillForm(page: Page, controlKey: string): Promise<void> {
  await page.getByLabel('URL', { exact: true }).fill(FORM_URL)
  await page.getByLabel('Form fields', { exact: true }).first().check()
  await page.getByRole('button', { name: 'Add a field' }).click()
  const fields = [
    ['amount', '10.42'],
    ['order_desc', 'Kaffee & Käse'],
  ] as const
  for (const [at, [name, value]] of fields.entries()) {
    await page.getByLabel(`Name ${at + 1}`).fill(name)
    await page.getByLabel(`Value ${at + 1}`).fill(value)
  }
  await page.getByLabel('Login', { exact: true }).fill('shop')
  await page.getByLabel('Control key', { exact: true }).fill(controlKey)
  await expectShown(page.getByRole('heading', { name: 'Write the header' }))
}
