variable "line_break" {
  default = {
    key
    = 1
  }
}
