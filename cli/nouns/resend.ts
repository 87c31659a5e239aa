import type { Command } from 'commander';
import { resend } from '../../control/resend';
import { deedCommand } from '../deed-command';
import type { Envelope } from '../envelope';

export const resendCommands = (noun: Command, envelope: Envelope): void =>
  deedCommand(noun, resend, envelope);
