/* SPDX-License-Identifier: BSD-2-Clause */
/* control.c -- the environment variables that steer an automatic profile, and the signal that switches it. */
#include "mon_impl.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct variable {
	const char *name, *text;
} variables[] = {
	{ "PROFDIR",
	  "directory of the profiles, pid.progname; empty: no profile; unset: mon.out in the current directory" },
	{ "MONHZ", "ticks per CPU second, 1 to 10000 (250)" },
	{ "MONCLOCK", "perf, perf-signal, timer or itimer: the clock to use if it works here (the first that does)" },
	{ "MONFORMAT", "classic: write the classic 64-bit layout, 100 ticks per second, the program's own text only" },
	{ "MONSTART", "off: begin suspended, until moncontrol(1) or MONSIGNAL" },
	{ "MONSIGNAL", "name or number of a signal that suspends and resumes the profile, such as USR2" },
	{ "MON", "help: print this" },
};

void mon_control_help(void)
{
	const char *want = getenv("MON");
	if (mon_secure() || !want || strcmp(want, "help") != 0)
		return;
	for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
		char text[256];
		struct mon_line l = MON_LINE(text);
		mon_put(&l, variables[i].name);
		do
			mon_put(&l, " ");
		while (l.at < text + 10);
		mon_put(&l, variables[i].text);
		mon_put(&l, "\n");
		mon_write(STDERR_FILENO, text, (size_t)(l.at - text));
	}
}

bool mon_control_starts_off(void)
{
	const char *start = getenv("MONSTART");
	return start && strcmp(start, "off") == 0;
}

static int signal_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} known[] = {
		{ "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "HUP", SIGHUP }, { "WINCH", SIGWINCH }, { "URG", SIGURG }
	};
	int n = 0;
	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].number;
	for (; *name >= '0' && *name <= '9' && n < 100; name++)
		n = n * 10 + (*name - '0');
	return *name ? 0 : n;
}

/* The lock is only ever held with signals blocked, so taking it here is safe. */
static void toggle(int sig)
{
	(void)sig;
	mon_toggle();
}

void mon_control_signal(void)
{
	const char *name = getenv("MONSIGNAL");
	struct sigaction act = { .sa_flags = SA_RESTART };
	int sig = name ? signal_number(name) : 0;
	if (sig <= 0 || sig == SIGPROF || sig == SIGKILL || sig == SIGSTOP)
		return;
	act.sa_handler = toggle;
	sigemptyset(&act.sa_mask);
	sigaction(sig, &act, NULL);
}
