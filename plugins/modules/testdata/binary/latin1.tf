variable "latin" {
  description = "café"
}
