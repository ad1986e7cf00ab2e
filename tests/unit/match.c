/* SPDX-License-Identifier: BSD-2-Clause */
/* match.c -- does a profile come from this program: its own, another's, an older build's, and where nothing tells. */
#include "check.h"
#include "sample.h"

static const char program[] =
    "section .text 0x401000\nfunc start 0x30\nfunc alpha 0x75\ngap 0x0b\nfunc beta 0x1f\ngap 1\n"
    "static gamma 0x133\ngap 0x0d\nfunc delta 0x40\nfunc main 0xc1\ngap 0x0f\n";
/* What a rebuild after an edit leaves: the same functions, others' sizes and places. */
static const char rebuilt[] =
    "section .text 0x401000\nfunc start 0x30\nfunc alpha 0x19\ngap 7\nfunc added 0x2d7\ngap 9\n"
    "func beta 0x21\ngap 0x0f\nstatic gamma 0xa3\ngap 0x0d\nfunc delta 0x3a\ngap 6\nfunc main 0xcd\ngap 3\n";

/* The whole text, 0x401000-0x401320, calls counted 5 bytes behind entries as return addresses do. */
static const char own[] =
    "hist 0x401000 0x401320 100\nbin 3 10\nbin 50 7\ncell 0x401035 7\ncell 0x4010b5 3\ncell 0x4010d5 9\n"
    "cell 0x401215 2\ncell 0x401255 1\n";

static enum mon_match match(const char *variant, const char *profile, const char *object)
{
	char text[1024], why[256] = "";
	struct mon_profile *p;
	struct mon_object *obj = sample_object(object);
	enum mon_match m;

	snprintf(text, sizeof(text), "variant %s\n%s", variant, profile);
	p = sample_profile(text, strncmp(variant, "g2", 2) ? variant : NULL);
	m = mon_profile_match(p, 0, obj, why, sizeof(why));
	CHECK(why[0] && !strchr(why, '\n'));
	CHECK_EQ(mon_profile_match(p, 0, obj, NULL, 0), m);
	mon_profile_free(p);
	mon_object_close(obj);
	return m;
}

static void test_yes(void)
{
	CHECK_EQ(match("a64-le", own, program), MON_MATCH_YES);
	/* entry addresses, as 2.11BSD and merged files hold them; no cells but the right ends; a few functions only */
	CHECK_EQ(match("a64-le",
		       "hist 0x401000 0x401320 100\nbin 3 9\ncell 0x401030 7\ncell 0x4010b0 3\ncell 0x401250 1\n",
		       program),
		 MON_MATCH_YES);
	CHECK_EQ(match("a64-le", "hist 0x401000 0x401320 100\nbin 3 9\n", program), MON_MATCH_YES);
	CHECK_EQ(match("a64-le", "hist 0x401030 0x4010cf 20\nbin 3 9\ncell 0x401035 7\ncell 0x4010b5 3\n", program),
		 MON_MATCH_YES);
	CHECK_EQ(match("g2-64-le",
		       "hist 0x401000 0x401320 200\nbin 3 9\narc 0x401260 0x401034 7\narc 0x401060 0x4010b4 7\n"
		       "arc 0x401060 0x401254 7\n",
		       program),
		 MON_MATCH_YES);
}

static void test_outside(void)
{
	CHECK_EQ(match("a64-le", "hist 0x900000 0x9002f0 94\nbin 3 10\ncell 0x900035 7\n", program), MON_MATCH_OUTSIDE);
	CHECK_EQ(match("a64-le", "hist 0x561f00001000 0x561f000012f0 94\nbin 3 10\n", program), MON_MATCH_OUTSIDE);
}

static void test_foreign(void)
{
	CHECK_EQ(match("a64-le", own, rebuilt), MON_MATCH_FOREIGN);
	CHECK_EQ(match("a64-le",
		       "hist 0x401000 0x404b51 1000\nbin 3 10\ncell 0x4010b7 3\ncell 0x401119 8\ncell 0x401210 1\n"
		       "cell 0x401242 5\ncell 0x401301 9\ncell 0x402307 4\ncell 0x403ff1 3\n",
		       program),
		 MON_MATCH_FOREIGN);
}

/* A hand-made range whose ends say nothing, and no calls. */
static void test_unsure(void)
{
	CHECK_EQ(match("a64-le", "hist 0x401044 0x401200 60\nbin 3 10\n", program), MON_MATCH_UNSURE);
}

int main(void)
{
	test_yes();
	test_outside();
	test_foreign();
	test_unsure();
	return check_status();
}
