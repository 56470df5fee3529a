variable "before_comment" {
}

/* never closed
variable "inside_comment" {
}
