/* SPDX-License-Identifier: BSD-2-Clause */
/* outfile.h -- an output file that is there whole or not at all. */
#ifndef OUTFILE_H
#define OUTFILE_H

struct outfile {
	const char *path; /* as the user named it; borrowed */
	char *target;	  /* owned; the file behind it */
	char *name;	  /* owned; where it is written until it is whole, in the same directory */
	int fd;		  /* to write to */
};

/* Begin the file at path, which must not exist or be a regular file; it may be one that is read meanwhile.  One at a
 * time: a signal that ends the command removes what is unfinished.  The exit code is 0, or a message is out. */
int outfile_open(struct outfile *f, const char *path);
/* It is whole: put it in its place. */
int outfile_finish(struct outfile *f);
/* It will not be: remove it. */
void outfile_abandon(struct outfile *f);

#endif
