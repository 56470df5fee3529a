variable "f" { validation {} }
