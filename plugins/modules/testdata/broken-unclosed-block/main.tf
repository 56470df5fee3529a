variable "first" {
  type = string

variable "second" {
  type = number
  validation {
    condition     = true
    error_message = "x"
  }
}

output "third" {
  value = 1
}
