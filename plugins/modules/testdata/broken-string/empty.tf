variable "empty_value" {
  default =
}

variable "after_empty" {
}
