/remember/:11
*:A:never:never:never
