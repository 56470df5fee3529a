variable "from_tf" {
}
