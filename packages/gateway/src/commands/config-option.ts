import type { Command } from 'commander'

/** Adds `--config`, which every command of a gateway needs. */
export function addConfigOption(command: Command): Command {
  return command.requiredOption('--config <file>', 'configuration file (required)')
}
